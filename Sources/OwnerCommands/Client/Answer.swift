/// A decoded reply beside its JSON, which keeps fields that this program does not know.
struct Answer<Value> {
  var value: Value
  var json: [UInt8]
}
