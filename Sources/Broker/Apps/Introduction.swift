/// What an app is told when it introduced itself.
package struct Introduction {
  package let app: App
  /// The app's own token: names it, grants nothing.
  package let token: String
}
