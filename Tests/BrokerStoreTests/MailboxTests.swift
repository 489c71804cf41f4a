import StoreScript
import Testing

@testable import BrokerStore

/// The order of reads.
@Suite struct MailboxTests {
  @Test func `reads of one library do not delay those of others`() {
    let mailbox = Mailbox()
    let (one, two) = (Samples.name(1), Samples.name(2))
    let read: Mailbox.Read = { _ in false }
    for library in [one, one, one, two, nil] { #expect(mailbox.put(read, of: library)) }
    let order = (0..<5).map { _ in mailbox.take(until: 0).library }
    #expect(order == [one, two, nil, one, one])
    #expect(mailbox.take(until: 0).read == nil)
  }

  @Test func `a read in pieces gives way to other libraries after each piece`() {
    let mailbox = Mailbox()
    let (one, two) = (Samples.name(1), Samples.name(2))
    let (long, short): (Mailbox.Read, Mailbox.Read) = ({ _ in true }, { _ in false })
    #expect(mailbox.put(long, of: one) && mailbox.put(short, of: two))
    let first = mailbox.take(until: 0)
    if let read = first.read { mailbox.putBack(read, of: first.library) }
    #expect(first.library == one && mailbox.take(until: 0).library == two && mailbox.take(until: 0).library == one)
  }
}
