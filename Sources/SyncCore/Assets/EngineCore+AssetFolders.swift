import RecordModel

// Folders of staged files live as long as something of the session needs them, and no longer.

extension EngineCore {
    mutating func makeFolder() -> AssetFolderID {
        let folder = AssetFolderID(session.nextFolder)
        session.nextFolder += 1
        session.folders.append(folder)
        return folder
    }

    /// Gives up folders that nothing needs any more, and transfers that nobody waits for.
    ///
    /// Looked for after every input, so that no way out of an operation can forget one.
    mutating func discardFolders() {
        guard !session.folders.isEmpty else { return }
        let (requests, folders) = assetsInUse
        for id in session.assetRequests where !requests.contains(id) {
            perform(.cancelRequest(id))
        }
        session.assetRequests.removeAll { !requests.contains($0) }
        for folder in session.folders where !folders.contains(folder) {
            perform(.asset(.discard(folder)))
        }
        session.folders.removeAll { !folders.contains($0) }
    }

    private var assetsInUse: (requests: Set<RequestID>, folders: Set<AssetFolderID>) {
        var requests: Set<RequestID> = []
        var folders: Set<AssetFolderID> = []
        if case .preparingAssets(let work) = session.send.phase {
            folders.insert(work.folder)
            switch work.step {
            case .staging(let id), .askingMissing(let id): requests.insert(id)
            case .uploading(let transfers): requests.formUnion(transfers.open.map(\.id))
            }
        }
        switch session.fetch.phase {
        case .downloadingAssets(let work):
            folders.insert(work.folder)
            requests.formUnion(work.transfers.open.map(\.id))
        case .holdingBack(let page, _):
            if let folder = page.folder { folders.insert(folder) }
        case .idle, .awaitingAccount, .awaitingSettlement, .awaitingDelegate, .fetchingDatabase,
            .askingOptions, .fetchingZone:
            break
        }
        folders.formUnion(session.delegateQueue.folders)
        return (requests, folders)
    }
}

extension DelegateQueue {
    /// The folders of files that the delegate is told of, or will be.
    fileprivate var folders: [AssetFolderID] {
        let waiting = (items + thrown).compactMap { item -> AssetFolderID? in
            if case .event(_, let followUp) = item { followUp.folder } else { nil }
        }
        // The files of a former account too: the delegate may be reading them.
        guard case .event = hand, let folderInHand else { return waiting }
        return waiting + [folderInHand]
    }
}
