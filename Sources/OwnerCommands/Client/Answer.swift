/// A reply, read as its type, and as it arrived: fields that this program is too old for stay in the JSON.
struct Answer<Value> {
  let value: Value
  let json: [UInt8]
}
