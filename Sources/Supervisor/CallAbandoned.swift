/// Thrown by the body of a call whose outcome nobody awaits any more. The child is killed, because
/// it cannot be told to stop; this does not count as its failure.
package struct CallAbandoned: Error {
  package init() {}
}
