extension MemoryStorage {
    package func database(_ key: DatabaseKey) -> StoredDatabase {
        databases[key]?.stored ?? StoredDatabase()
    }

    package mutating func put(_ database: StoredDatabase, at key: DatabaseKey) {
        let old = self.database(key)
        undo { $0.databases[key]?.stored = old }
        databases[key, default: MemoryDatabase()].stored = database
    }

    package func zone(_ zoneName: String, in database: DatabaseKey) -> StoredZone? {
        databases[database]?.zones[zoneName]
    }

    package mutating func put(_ zone: StoredZone, in database: DatabaseKey) {
        let name = zone.zoneName
        let old = self.zone(name, in: database)
        touch(ZoneKey(database: database, zoneName: name, generation: zone.generation))
        if let old, old.position == zone.position {
            databases[database]?.zones.replace(zone, named: name)
            undo { $0.databases[database]?.zones.replace(old, named: name) }
            return
        }
        let slot = databases[database, default: MemoryDatabase()].zones
            .append(zone, named: name, at: zone.position)
        undo { storage in
            let replaced = slot.flatMap { slot in old.map { (slot, $0) } }
            storage.databases[database]?.zones.removeLast(named: name, replacing: replaced)
        }
    }

    package mutating func removeZone(_ zoneName: String, in database: DatabaseKey) {
        guard let old = zone(zoneName, in: database),
            let slot = databases[database]?.zones.remove(named: zoneName)
        else { return }
        undo { $0.databases[database]?.zones.restore(old, named: zoneName, in: slot) }
    }

    package func zones(
        in database: DatabaseKey,
        after position: LogPosition,
        countMax: Int
    ) -> [StoredZone] {
        var zones: [StoredZone] = []
        guard countMax > 0 else { return zones }
        databases[database]?.zones.walk(after: position) { zone in
            zones.append(zone)
            return zones.count < countMax
        }
        return zones
    }
}
