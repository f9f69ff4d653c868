import RecordSyncTools

await runAndExit()
