import RecordModel
import SyncCore

// Files: what disk and server answer.

extension ScriptedServer {
    mutating func answer(_ effect: AssetEffect) -> EngineInput {
        switch effect {
        case .stage(let id, let assets, let folder):
            let copies = assets.enumerated().map { position, asset in
                copy(asset, to: "\(folder.number)/\(position)")
            }
            return .assetAnswered(id, .staged(copies))
        case .askMissing(let id, let assets, _):
            if !missingErrors.isEmpty {
                return .assetAnswered(id, .missing(.failure(missingErrors.removeFirst())))
            }
            let missing = assets.filter { !contents.contains($0.checksum ?? []) }
            return .assetAnswered(id, .missing(.success(missing)))
        case .upload(let id, let asset, _):
            let checksum = asset.checksum ?? []
            if let error = fileErrors[checksum] { return .assetAnswered(id, .uploaded(error)) }
            contents.insert(checksum)
            return .assetAnswered(id, .uploaded(nil))
        case .download(let id, let asset, let folder, _):
            let checksum = asset.checksum ?? []
            if let error = fileErrors[checksum] {
                return .assetAnswered(id, .downloaded(.failure(error)))
            }
            var file = asset
            file.filePath = "\(folder.number)/\(id.number)"
            return .assetAnswered(id, .downloaded(.success(file)))
        case .discard:
            return .woke
        }
    }

    private func copy(_ asset: Asset, to path: String) -> Result<Asset, SyncError> {
        guard let bytes = asset.filePath.flatMap({ files[$0] }) else {
            return .failure(SyncError(.assetFileNotFound))
        }
        return .success(
            Asset(
                filePath: path,
                byteCount: Int64(bytes.count),
                checksum: SHA256.hash(bytes)
            )
        )
    }
}
