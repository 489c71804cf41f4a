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

  private var accounts: [Accessor: [[UInt8]: Account]] = [:]
  private var taken: [Accessor: [[UInt8]: Int64]]
  private let store: any Store

  init(_ records: [TakenBudget], store: any Store) {
    self.store = store
    taken = records.reduce(into: [:]) { $0[$1.accessor, default: [:]][$1.key] = $1.taken }
  }

  /// - Throws: `limitExceeded` for more budgets of one accessor than are kept.
  func accounts(of budgets: [TokenBudget], _ accessor: Accessor) throws(BrokerError) -> [Account] {
    var found: [Account] = []
    for budget in budgets {
      if let known = accounts[accessor]?[budget.key] {
        found.append(known)
        continue
      }
      let stored = taken[accessor]?[budget.key]
      let count = Set((accounts[accessor] ?? [:]).keys).union((taken[accessor] ?? [:]).keys).count
      guard stored != nil || count < BrokerLimits.budgetsPerToken else {
        throw .photos(
          .limitExceeded,
          "This access has \(BrokerLimits.budgetsPerToken) tokens with a number of uses or bytes; have its owner revoke "
            + "the token and make another one.")
      }
      let account = Account(accessor: accessor, budget: budget, taken: stored ?? 0)
      accounts[accessor, default: [:]][budget.key] = account
      found.append(account)
    }
    return found
  }

  /// Spends from all budgets of a permit. Without a budget of this kind, `completion` runs at once.
  /// Afterwards the permit must be checked again.
  package func spend(
    _ amount: Int64, _ kind: TokenBudget.Kind, under permit: Permit,
    completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    let asked = permit.attachment.budgets.filter { $0.budget.kind == kind }
    guard asked.allSatisfy({ $0.rest >= amount }) else { return completion(.failure(.tokenUsedUp())) }
    for account in asked { account.spent += amount }
    let short = asked.filter { $0.spent > $0.taken }
    guard !short.isEmpty else { return completion(.success(())) }
    let records = short.map { account in
      TakenBudget(
        accessor: account.accessor, key: account.budget.key,
        taken: min(account.budget.limit, account.spent + account.block))
    }
    store.keep(records.map(StoreChange.takeBudget)) { failure in
      if let failure {
        for account in asked { account.spent -= amount }
        return completion(.failure(.failed(failure)))
      }
      for (account, record) in zip(short, records) { account.taken = max(account.taken, record.taken) }
      completion(.success(()))
    }
  }

  func forget(_ accessor: Accessor) {
    accounts[accessor] = nil
    taken[accessor] = nil
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
  static func tokenUsedUp() -> Self {
    Self(.tokenRefused, "The token allows no more: its number of uses or bytes is used up. Ask its maker for another.")
  }
}
