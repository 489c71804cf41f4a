/// What the body of a call throws where nobody waits for its outcome any more: the child is ended,
/// since it cannot be told to stop, and that is no failure of its own.
package struct CallAbandoned: Error {
  package init() {}
}
