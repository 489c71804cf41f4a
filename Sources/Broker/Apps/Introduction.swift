/// The answer to an app that introduced itself.
package struct Introduction {
  package let app: App
  /// The app's own token, which names it and grants nothing.
  package let token: String
}
