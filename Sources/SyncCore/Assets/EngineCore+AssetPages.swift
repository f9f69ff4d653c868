import RecordModel

// Files of a fetched page: put beside it before the app is told, and kept until it has taken them.

extension EngineCore {
    /// Fetches the files of a page first; false if it has none.
    mutating func fetchAssets(of page: FetchedPage, _ zoneID: RecordZone.ID) -> Bool {
        let missing = page.missingAssets
        guard !missing.isEmpty else { return false }
        let folder = makeFolder()
        var page = page
        page.folder = folder
        let limit = Int64(configuration.limits.assetByteCountMax)
        let isTooLong = { (file: Asset) in (file.byteCount ?? .max) > limit }
        for file in missing where isTooLong(file) {
            page.fail(file, SyncError(.limitExceeded, "the file has more than \(limit) bytes"))
        }
        download(
            AssetPage(
                page: page,
                zoneID: zoneID,
                folder: folder,
                transfers: AssetTransfers(missing.filter { !isTooLong($0) })
            )
        )
        return true
    }

    private mutating func download(_ work: AssetPage) {
        var work = work
        while let next = work.transfers.begin({ RequestID(makeID()) }) {
            let account = requestAccount
            perform(.asset(.download(next.id, next.asset, in: work.folder, account: account)))
        }
        session.fetch.phase = .downloadingAssets(work)
        guard work.transfers.isDone else { return }
        pageIsComplete(work)
    }

    mutating func assetDownloaded(
        _ id: RequestID,
        _ answer: AssetAnswer,
        _ work: AssetPage
    ) {
        var work = work
        guard case .downloaded(let result) = answer, let asset = work.transfers.end(id) else {
            return
        }
        switch result {
        case .success(let file):
            session.failedDownloads[asset.checksum ?? []] = nil
            work.page.take(file)
        case .failure(let error):
            noteRetryDelay(of: error, zoneID: work.zoneID)
            if endsPage(error, asset) {
                if RequestOutcome(error.code) != .askOutcome {
                    session.fetch.current?.ending.error = error
                }
                return concludeZone(work.zoneID, error: error)
            }
            work.page.fail(asset, error)
        }
        download(work)
    }

    /// True if the page must come again: the server cannot be used now, or the way to it broke.
    ///
    /// A file on which it breaks each time holds its zone up no longer than a few fetches.
    private mutating func endsPage(_ error: SyncError, _ asset: Asset) -> Bool {
        switch RequestOutcome(error.code) {
        case .askAccount:
            session.isAccountVerified = false
            return true
        case .endOperation:
            return true
        case .askOutcome:
            let checksum = asset.checksum ?? []
            let count = (session.failedDownloads[checksum] ?? 0) + 1
            let isGivenUp = count >= EngineConfiguration.assetFailureCountMax
            session.failedDownloads[checksum] = isGivenUp ? nil : count
            return !isGivenUp
        case .restartWithoutToken, .split, .failItems:
            return false
        }
    }

    private mutating func pageIsComplete(_ work: AssetPage) {
        guard session.fetch.current?.ending.mustStop == false else {
            let reason = session.fetch.current?.ending.reasonToStop
            return concludeZone(work.zoneID, error: reason)
        }
        // Sends of the meantime may have overtaken it.
        releasePage(work.page, work.zoneID)
    }
}
