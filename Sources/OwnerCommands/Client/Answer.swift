/// A decoded reply beside its JSON, which keeps fields that this program does not know.
struct Answer<Value> {
  let value: Value
  let json: [UInt8]
}
