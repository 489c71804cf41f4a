import Broker
import Catalogue

/// What comes from afar for an owner who waits for it.
struct Arrival {
  let transfer: Transfer
  let size: Int64
}

extension LibraryRuntime {
  /// How far an asset's file has come for its owner; nil: nothing of it is under way. Several
  /// pictures of one asset are made of one transfer.
  func arrival(of asset: AssetNumber) -> (received: Int, size: Int64)? {
    guard let all = arrivals[asset], let first = all.first else { return nil }
    return (all.map(\.transfer.count).max() ?? 0, first.size)
  }

  /// As ``begin(_:_:for:progress:)``, and shows meanwhile how far it has come.
  func show(_ resource: ResourceRecord, _ asset: AssetNumber, for reader: ByteReader) -> Making {
    let job = begin(
      resource, asset, for: reader, takesLong: true,
      didEnd: { [self] transfer in
        arrivals[asset]?.removeAll { $0.transfer === transfer }
        if arrivals[asset]?.isEmpty ?? false { arrivals[asset] = nil }
      })
    arrivals[asset, default: []].append(Arrival(transfer: job.transfer, size: resource.size))
    return job
  }
}
