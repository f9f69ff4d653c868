import RecordModel
import SyncCore

// Files: staged, sent and fetched as the core says.

extension EngineShell {
    func perform(_ effect: AssetEffect) {
        let staging = staging
        switch effect {
        case .stage(let id, let assets, let folder):
            request(id) { _ in
                .assetAnswered(id, .staged(await staging.stage(assets, in: folder)))
            }
        case .askMissing(let id, let assets, let account):
            let asked = assets.map { Asset(byteCount: $0.byteCount, checksum: $0.checksum) }
            request(id) { database in
                .assetAnswered(
                    id,
                    .missing(
                        await result { () async throws(SyncError) in
                            try await database.missingAssets(asked, account: account)
                        }
                    )
                )
            }
        case .upload(let id, let asset, let account):
            request(id) { database in
                .assetAnswered(id, .uploaded(await upload(asset, staging, database, account)))
            }
        case .download(let id, let asset, let folder, let account):
            request(id) { database in
                .assetAnswered(
                    id,
                    .downloaded(
                        await result { () async throws(SyncError) in
                            try await staging.fetch(asset, into: folder, number: id.number) {
                                target throws(SyncError) in
                                try await database.downloadWhole(target, account: account)
                            }
                        }
                    )
                )
            }
        case .discard(let folder):
            environment.launch { staging.discard(folder) }
        }
    }

    /// Removes what a crash left behind; nobody waits for it.
    func sweepStaging() {
        let staging = staging
        guard staging.mayHoldLeftovers else { return }
        environment.launch { staging.sweep() }
    }
}

private func upload(
    _ asset: Asset,
    _ staging: StagingFolder,
    _ database: any SyncDatabase,
    _ account: String
) async -> SyncError? {
    do {
        try await database.upload(try staging.source(of: asset), account: account)
        return nil
    } catch {
        return error
    }
}

extension SyncDatabase {
    /// Fetches a file, and goes on where the way to the server broke, while that helps.
    func downloadWhole(_ target: AssetTarget, account: String) async throws(SyncError) {
        var breakCount = 0
        while true {
            let before = target.receivedByteCount
            do {
                return try await download(target, account: account)
            } catch {
                let isBreak = error.code == .networkFailure || error.code == .serverResponseLost
                breakCount += 1
                guard isBreak, target.failure == nil, target.receivedByteCount > before,
                    breakCount < AssetTarget.breakCountMax, !Task.isCancelled
                else { throw error }
            }
        }
    }
}

extension AssetTarget {
    /// Breaks of the connection after which the fetch of a file is given up for now.
    fileprivate static let breakCountMax = 20
}
