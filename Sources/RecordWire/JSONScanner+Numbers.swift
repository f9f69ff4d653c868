extension JSONScanner {
    /// A number as it stands in the bytes.
    struct Number {
        let range: Range<Int>
        /// True if it is written without fraction and exponent.
        let isWhole: Bool
    }

    /// Passes over the number that starts at the next byte, and checks how it is written.
    mutating func number() throws(WireError) -> Number {
        let numberStart = position
        var isWhole = true
        if position < end, bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < end, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if position < end, bytes[position] == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try digits()
        }
        if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if position < end, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
                position += 1
            }
            try digits()
        }
        let range = numberStart..<position
        guard range.count <= WireLimits.numberLengthMax else {
            throw error(
                "a number of \(range.count) characters; "
                    + "expected at most \(WireLimits.numberLengthMax)",
                at: numberStart
            )
        }
        return Number(range: range, isWhole: isWhole)
    }

    /// The whole number, or nil where it has a fraction or does not fit.
    func int64(_ number: Number) -> Int64? {
        guard number.isWhole else { return nil }
        let isNegative = bytes[number.range.lowerBound] == UInt8(ascii: "-")
        var result: Int64 = 0
        for byte in bytes[number.range].dropFirst(isNegative ? 1 : 0) {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (tens, isTooLong) = result.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) =
                isNegative
                ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !isTooLong, !isTooLarge else { return nil }
            result = sum
        }
        return result
    }

    /// The number, or nil where it is too large to be finite.
    func double(_ number: Number) -> Double? {
        guard let double = Double(String(decoding: bytes[number.range], as: UTF8.self)),
            double.isFinite
        else { return nil }
        return double
    }

    private mutating func digits() throws(WireError) {
        let digitsStart = position
        while position < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > digitsStart else { throw unexpected(expecting: "a digit") }
    }
}
