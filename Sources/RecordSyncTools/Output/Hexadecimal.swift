/// The bytes in two digits each.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var digits = ""
    for byte in bytes {
        if byte < 16 { digits += "0" }
        digits += String(byte, radix: 16)
    }
    return digits
}
