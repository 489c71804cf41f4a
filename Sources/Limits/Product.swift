/// The product.
package enum Product {
  /// The version of `--version`, of `GetInfo` and of the Debian package.
  package static let version = "0.1.0"
}
