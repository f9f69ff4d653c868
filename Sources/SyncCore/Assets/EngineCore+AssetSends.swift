import RecordModel

// Files of a batch: copied as the app gives it, and on the server before the batch is.

extension EngineCore {
    /// Takes the files of a batch first; false if it has none.
    mutating func prepareAssets(
        of batch: RecordZoneChangeBatch,
        walkBefore: WalkPosition
    ) -> Bool {
        let files = batch.filesToStage
        guard !files.isEmpty else { return false }
        if let twice = batch.repeatedRecordID {
            stopSend(SyncError(.invalidArguments, "the batch holds \(twice) twice"))
            return true
        }
        let id = RequestID(makeID())
        let folder = makeFolder()
        let changes =
            batch.recordsToSave.map { PendingRecordZoneChange.saveRecord($0.recordID) }
            + batch.recordIDsToDelete.map { .deleteRecord($0) }
        let work = AssetSend(
            batch: batch,
            walkBefore: walkBefore,
            folder: folder,
            listed: Set(changes.filter { state.records.origin(of: $0) != nil }),
            files: files.map(\.file),
            step: .staging(id)
        )
        session.send.phase = .preparingAssets(work)
        perform(.asset(.stage(id, files.map(\.asset), in: folder)))
        return true
    }

    mutating func assetAnswered(_ id: RequestID, _ answer: AssetAnswer) {
        if case .downloadingAssets(let page) = session.fetch.phase,
            page.transfers.open.contains(where: { $0.id == id })
        {
            return assetDownloaded(id, answer, page)
        }
        guard case .preparingAssets(let work) = session.send.phase else { return }
        switch (work.step, answer) {
        case (.staging(id), .staged(let results)): assetsStaged(work, results)
        case (.askingMissing(id), .missing(let result)): missingAssetsTold(work, result)
        case (.uploading(let transfers), .uploaded(let error)):
            assetUploaded(id, error, work, transfers)
        case (.staging, _), (.askingMissing, _), (.uploading, _): return
        }
    }

    /// Nobody waits for this any longer.
    mutating func assetsAreOverdue(_ id: RequestID, _ error: SyncError) {
        if case .preparingAssets(let work) = session.send.phase, case .staging = work.step {
            let error = SyncError(.assetNotAvailable, "the files could not be copied in time")
            assetAnswered(id, .staged(work.files.map { _ in .failure(error) }))
        }
        assetAnswered(id, .missing(.failure(error)))
        assetAnswered(id, .uploaded(error))
        assetAnswered(id, .downloaded(.failure(error)))
    }

    private mutating func assetsStaged(
        _ work: AssetSend,
        _ results: [Result<Asset, SyncError>]
    ) {
        var work = work
        let limit = Int64(session.limits.assetByteCountMax)
        for (file, result) in zip(work.files, results) {
            switch result {
            case .success(let copy) where (copy.byteCount ?? 0) > limit:
                let error = SyncError(
                    .limitExceeded,
                    "an asset has at most \(limit) bytes, not \(copy.byteCount ?? 0)"
                )
                if work.failures[file.recordID] == nil { work.failures[file.recordID] = error }
            case .success(let copy):
                work.copies[file] = copy
            case .failure(let error):
                if work.failures[file.recordID] == nil { work.failures[file.recordID] = error }
            }
        }
        let copies = work.copiesToSend
        guard !copies.isEmpty else { return openPrepared(work) }
        if let error = retryDelayError() { return stopSend(error) }
        let id = RequestID(makeID())
        work.step = .askingMissing(id)
        session.send.phase = .preparingAssets(work)
        perform(.asset(.askMissing(id, copies, account: requestAccount)))
    }

    private mutating func missingAssetsTold(
        _ work: AssetSend,
        _ result: Result<[Asset], SyncError>
    ) {
        var work = work
        switch result {
        case .success(let missing):
            // Only what was asked about, whatever the server names, and from where it lies here.
            let copies = work.copiesToSend.filter { copy in
                missing.contains { $0.checksum == copy.checksum }
            }
            upload(work, AssetTransfers(copies))
        case .failure(let error):
            if endsSend(error) { return }
            for copy in work.copiesToSend { work.fail(copy, error) }
            openPrepared(work)
        }
    }

    private mutating func upload(_ work: AssetSend, _ transfers: AssetTransfers) {
        var work = work
        var transfers = transfers
        while let next = transfers.begin({ RequestID(makeID()) }) {
            perform(.asset(.upload(next.id, next.asset, account: requestAccount)))
        }
        guard !transfers.isDone else { return openPrepared(work) }
        work.step = .uploading(transfers)
        session.send.phase = .preparingAssets(work)
    }

    private mutating func assetUploaded(
        _ id: RequestID,
        _ error: SyncError?,
        _ work: AssetSend,
        _ transfers: AssetTransfers
    ) {
        var work = work
        var transfers = transfers
        guard let asset = transfers.end(id) else { return }
        if let error {
            if endsSend(error) { return }
            work.fail(asset, error)
        }
        upload(work, transfers)
    }

    /// True if the error is none of a single file: the database cannot be used now, and everything
    /// stays pending.
    private mutating func endsSend(_ error: SyncError) -> Bool {
        noteRetryDelay(of: error)
        switch RequestOutcome(error.code) {
        case .askAccount:
            session.isAccountVerified = false
            stopSend(error)
            return true
        case .endOperation:
            stopSend(error)
            return true
        case .askOutcome, .restartWithoutToken, .split, .failItems:
            // An upload that broke off has no effect: its record fails, and is tried again.
            return false
        }
    }

    /// The files are where they belong: the batch goes on as one without, but for records whose
    /// files failed.
    private mutating func openPrepared(_ work: AssetSend) {
        if session.send.current?.ending.mustStop == true { return concludeSend() }
        let batch = work.describedBatch.divided { recordID in
            isWithdrawn(recordID, from: work)
        }.second
        let doomed = batch.recordsDoomed(by: work.failures)
        let (failed, rest) = batch.divided { doomed[$0] != nil }
        if failed.count > 0 { reportFailedAssets(of: failed, doomed, in: work) }
        if rest.count > 0 { return openSend(rest, walkBefore: work.walkBefore) }
        guard failed.count == 0 else { return }
        continueSend()
    }

    /// True for a change that was pending when the app gave the batch, and is not any more.
    private func isWithdrawn(_ recordID: Record.ID, from work: AssetSend) -> Bool {
        [PendingRecordZoneChange.saveRecord(recordID), .deleteRecord(recordID)].contains {
            work.listed.contains($0) && state.records.origin(of: $0) == nil
        }
    }

    /// Records whose files failed are told of at once: they have not left, and nothing of them
    /// will.
    private mutating func reportFailedAssets(
        of batch: RecordZoneChangeBatch,
        _ errors: OrderedTable<Record.ID, SyncError>,
        in work: AssetSend
    ) {
        let key = markInFlight(opened(of: batch).changes)
        session.send.phase = .awaitingDelegate(.batch(key))
        var given: [Record.ID: Record] = [:]
        for record in work.batch.recordsToSave { given[record.recordID] = record }
        var outcome = BatchOutcome(canDivide: false)
        for record in batch.recordsToSave {
            guard let error = errors[record.recordID] else { continue }
            outcome.addSave(of: given[record.recordID] ?? record, .failure(error))
        }
        for recordID in batch.recordIDsToDelete {
            outcome.addDeletion(of: recordID, errors[recordID])
        }
        reportUnsent(outcome, under: key, localVersions: batch.localVersions)
    }
}

extension AssetSend {
    /// Each copy of a record that has not failed.
    var copiesToSend: [Asset] {
        files.filter { failures[$0.recordID] == nil }.compactMap { copies[$0] }
    }
}

extension RecordZoneChangeBatch {
    /// The files that the app wants sent: those of changed keys that lie on this device.
    fileprivate var filesToStage: [(file: AssetFile, asset: Asset)] {
        var files: [(file: AssetFile, asset: Asset)] = []
        for record in recordsToSave where record.holdsAssets {
            for (place, asset) in record.assets(ofChangedKeys: true) where asset.filePath != nil {
                files.append((AssetFile(recordID: record.recordID, place: place), asset))
            }
        }
        return files
    }

    /// The changes that cannot go out because of these failures, each with its error: those named,
    /// children of records that failed, and in an atomic batch what shares their zone.
    fileprivate func recordsDoomed(
        by failures: OrderedTable<Record.ID, SyncError>
    ) -> OrderedTable<Record.ID, SyncError> {
        guard !failures.isEmpty else { return failures }
        var doomed = failures
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            let zones = Set(doomed.keys.map(\.zoneID))
            for recordID in recordIDs where doomed[recordID] == nil && atomicByZone {
                guard zones.contains(recordID.zoneID) else { continue }
                doomed[recordID] = .siblingFailed
            }
            for record in recordsToSave where doomed[record.recordID] == nil {
                guard let parent = record.parent?.recordID, doomed[parent] != nil else { continue }
                doomed[record.recordID] = .siblingFailed
                isGrowing = true
            }
        }
        return doomed
    }
}

extension SyncError {
    fileprivate static let siblingFailed = SyncError(
        .batchRequestFailed,
        "the file of another record, which this one goes along with, failed"
    )
}
