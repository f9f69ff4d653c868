#if PLANTED_BUGS
    package import RecordModel
#endif

/// What runs are made of, beside their seeds.
package struct SimulationOptions: Hashable, Sendable {
    package var deviceCount = 3
    package var zoneCount = 2
    package var stepCount = 150
    package var faults = FaultSet.all
    #if PLANTED_BUGS
        /// A mistake that everything in the run makes on purpose.
        package var plantedBug: PlantedBug?
    #endif

    package init() {}

    /// The arguments that make the same runs.
    package var arguments: String {
        "--devices \(deviceCount) --zones \(zoneCount) --steps \(stepCount) "
            + "--faults \(faults.argument)"
    }
}
