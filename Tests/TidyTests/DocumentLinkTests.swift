import Testing

struct DocumentLinkTests {
    private let start = Document(path: "Docs/A.md", text: "# Title\n\n## The way, of `data`!\n")

    private func violations(_ text: String, path: String = "Docs/B.md") -> [Violation] {
        let document = Document(path: path, text: text)
        return linkViolations(
            document,
            documents: [start, document],
            paths: ["Docs/A.md", "Docs/B.md", "README.md", "Docs"]
        )
    }

    @Test func everyLinkOfTheProjectLeadsSomewhere() {
        let tree = PackageTree.own
        let violations = tree.documents.flatMap { document in
            linkViolations(document, documents: tree.documents, paths: tree.paths)
        }
        #expect(tree.documents.count > 1)
        #expect(violations == [])
    }

    @Test(arguments: [
        "[a](A.md)", "[a](./A.md#title)", "[a](A.md#the-way-of-data)", "[up](../README.md)",
        "# Here\n[here](#here)", "[web](https://example.org/x#y)", "`[code](gone.md)`",
        "```\n[code](gone.md)\n```", "[folder](../Docs)", "# Here\n# Here\n[second](#here-1)",
    ])
    func passesALinkThatLeadsSomewhere(text: String) {
        #expect(violations(text) == [])
    }

    @Test(arguments: [
        "[a](C.md)", "[a](A.md#gone)", "[out](../../README.md)", "[here](#here)",
        "[good](A.md) and [bad](gone.md)", "# Here\n[second](#here-1)",
    ])
    func catchesALinkThatLeadsNowhere(text: String) {
        #expect(violations(text).count == 1)
    }

    @Test func namesTheLineOfABrokenLink() {
        #expect(
            violations("one\n\n[a](gone.md)") == [
                Violation(path: "Docs/B.md", line: 3, what: "the link to gone.md leads nowhere")
            ]
        )
    }
}
