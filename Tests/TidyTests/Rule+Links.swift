/// A document of the project: a Markdown file.
struct Document {
    let path: String
    let text: String
}

/// Every relative link of a document leads to a file of the project and to a heading in it.
func linkViolations(_ document: Document, documents: [Document], paths: Set<String>) -> [Violation]
{
    linksOf(document).compactMap { link in
        let broken = Violation(
            path: document.path,
            line: link.line,
            what: "the link to \(link.target) leads nowhere"
        )
        guard !isExternal(link.target) else { return nil }
        let parts = link.target.split(
            separator: "#",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let path = parts[0].isEmpty ? document.path : resolve(parts[0], from: document.path)
        guard let path, paths.contains(path) else { return broken }
        guard parts.count > 1, let goal = documents.first(where: { $0.path == path }) else {
            return nil
        }
        return anchorsOf(goal.text).contains(String(parts[1])) ? nil : broken
    }
}

/// The anchors of a document's headings: lower case, blanks as hyphens, other marks left out, and
/// a number on a heading that stands a second time.
func anchorsOf(_ text: String) -> [String] {
    var counts: [String: Int] = [:]
    return proseLines(text).filter { $0.line.hasPrefix("#") }.map { _, line in
        let title = line.drop { $0 == "#" }.drop { $0 == " " }
        let anchor = String(
            title.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                .map { $0 == " " ? "-" : $0 }
        )
        counts[anchor, default: 0] += 1
        let count = counts[anchor, default: 1]
        return count == 1 ? anchor : "\(anchor)-\(count - 1)"
    }
}

private func linksOf(_ document: Document) -> [(target: String, line: Int)] {
    proseLines(document.text).flatMap { number, line in
        withoutCode(line).split(separator: "](", omittingEmptySubsequences: false).dropFirst()
            .compactMap { rest in
                rest.firstIndex(of: ")").map { end in
                    (String(rest[..<end].prefix { $0 != " " }), number)
                }
            }
    }
}

/// The lines outside of fenced code, with their numbers.
private func proseLines(_ text: String) -> [(number: Int, line: String)] {
    var isCode = false
    return linesOf(text).enumerated().compactMap { position, line in
        if line.drop(while: { $0 == " " }).hasPrefix("```") {
            isCode.toggle()
            return nil
        }
        return isCode ? nil : (position + 1, line)
    }
}

private func withoutCode(_ line: String) -> String {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "" }
        .joined()
}

private func isExternal(_ target: String) -> Bool {
    ["https://", "http://", "mailto:"].contains { target.hasPrefix($0) }
}

/// The path a relative link names; nil if it leaves the project.
private func resolve(_ target: Substring, from path: String) -> String? {
    var parts = path.split(separator: "/").dropLast().map(String.init)
    for part in target.split(separator: "/") where part != "." {
        if part != ".." {
            parts.append(String(part))
        } else if parts.popLast() == nil {
            return nil
        }
    }
    return parts.joined(separator: "/")
}
