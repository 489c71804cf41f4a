import Limits
package import Macaroons
import PhotoModel

/// The budgets of counted tokens (R155). A part of a budget is durably taken before it is spent, so
/// that a crash loses the rest of that part and never gives any back.
package final class TokenBudgets {
  /// One budget, for all attached tokens that share it.
  final class Account {
    let accessor: Accessor
    let budget: TokenBudget
    fileprivate(set) var spent: Int64
    fileprivate var taken: Int64

    fileprivate init(accessor: Accessor, budget: TokenBudget, taken: Int64) {
      self.accessor = accessor
      self.budget = budget
      self.taken = taken
      spent = taken
    }

    var rest: Int64 { max(0, budget.limit - spent) }

    /// The part that is taken at once, beside the need: a crash loses at most that much.
    fileprivate var block: Int64 { min(budget.limit / 16, budget.kind == .uses ? 64 : 16 << 20) }
  }

  private struct Unspent {
    weak var account: Account?
  }

  /// Accounts from which something was taken since the start.
  private var spending: [Accessor: [[UInt8]: Account]] = [:]
  /// Attached accounts from which nothing was taken yet.
  private var unspent: [Accessor: [[UInt8]: Unspent]] = [:]
  /// Taken parts of accounts that were not attached since the start.
  private var stored: [Accessor: [[UInt8]: Int64]]
  private let store: any Store

  init(_ records: [TakenBudget], store: any Store) {
    self.store = store
    stored = records.reduce(into: [:]) { $0[$1.accessor, default: [:]][$1.key] = $1.taken }
  }

  func account(of budget: TokenBudget, _ accessor: Accessor) -> Account {
    if let known = spending[accessor]?[budget.key] ?? unspent[accessor]?[budget.key]?.account { return known }
    if let taken = stored[accessor]?.removeValue(forKey: budget.key) {
      let account = Account(accessor: accessor, budget: budget, taken: taken)
      spending[accessor, default: [:]][budget.key] = account
      return account
    }
    let account = Account(accessor: accessor, budget: budget, taken: 0)
    var others = unspent[accessor] ?? [:]
    if others.count >= BrokerLimits.budgetsPerAccess { others = others.filter { $0.value.account != nil } }
    others[budget.key] = Unspent(account: account)
    unspent[accessor] = others
    return account
  }

  /// Counts accounts among those that take something.
  /// - Throws: `limitExceeded` if their access has too many.
  private func enter(_ accounts: [Account]) throws(BrokerError) {
    for account in accounts where spending[account.accessor]?[account.budget.key] == nil {
      let count = (spending[account.accessor]?.count ?? 0) + (stored[account.accessor]?.count ?? 0)
      guard count < BrokerLimits.budgetsPerAccess else { throw .tooManyBudgets() }
      spending[account.accessor, default: [:]][account.budget.key] = account
      unspent[account.accessor]?[account.budget.key] = nil
    }
  }

  /// Spends from all budgets of a permit. Without a budget of this kind, `completion` runs at once.
  /// Afterwards the permit must be checked again.
  package func spend(
    _ amount: Int64, _ kind: TokenBudget.Kind, under permit: Permit, completion: @escaping Completion<Void>
  ) {
    let asked = permit.attachment.budgets.filter { $0.budget.kind == kind }
    guard asked.allSatisfy({ $0.rest >= amount }) else { return completion(.failure(.tokenUsedUp())) }
    let short = asked.filter { $0.spent + amount > $0.taken }
    do throws(BrokerError) { try enter(short) } catch { return completion(.failure(error)) }
    for account in asked { account.spent += amount }
    guard !short.isEmpty else { return completion(.success(())) }
    let records = short.map { account in
      TakenBudget(
        accessor: account.accessor, key: account.budget.key,
        taken: min(account.budget.limit, account.spent + account.block))
    }
    let library = permit.library.record.name
    store.commit(records.map { .takeBudget(library, $0) }) { failure in
      if let failure {
        for account in asked { account.spent -= amount }
        return completion(.failure(.failed(failure)))
      }
      for (account, record) in zip(short, records) { account.taken = max(account.taken, record.taken) }
      completion(.success(()))
    }
  }

  func forget(_ accessor: Accessor) {
    spending[accessor] = nil
    unspent[accessor] = nil
    stored[accessor] = nil
  }
}

/// The part of a token's budget that was taken, and may be spent.
package struct TakenBudget: Sendable, Equatable {
  package var accessor: Accessor
  package var key: [UInt8]
  package var taken: Int64

  package init(accessor: Accessor, key: [UInt8], taken: Int64) {
    self.accessor = accessor
    self.key = key
    self.taken = taken
  }
}

extension BrokerError {
  static func tooManyBudgets() -> Self {
    photos(
      .limitExceeded,
      "This access has \(BrokerLimits.budgetsPerAccess) tokens whose uses or bytes were counted; have its owner "
        + "revoke it and give it anew.")
  }

  static func tokenUsedUp() -> Self {
    Self(
      .tokenRefused, .tokenUsedUp,
      "The token allows no more: its number of uses or bytes is used up. Ask its maker for another.")
  }
}
