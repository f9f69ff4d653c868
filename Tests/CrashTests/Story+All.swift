extension Story {
    static let all: [Story] = [
        Story(
            name: "edits",
            steps: [
                .edit(0, ["a", "b"]), .send(0), .fetch(1), .edit(1, ["a"]), .send(1), .fetch(0),
                .edit(0, ["a"]), .send(0),
            ]
        ),
        Story(
            name: "conflict",
            steps: [
                .edit(0, ["a"]), .send(0), .fetch(1), .edit(0, ["a"]), .edit(1, ["a"]), .send(0),
                .send(1), .fetch(0),
            ]
        ),
    ]
}
