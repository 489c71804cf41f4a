import Broker
import BrokerInterface

/// The methods of the owners' socket, `admin.sock`, with the Sandbox interface for a throw-away
/// broker.
enum AdminMethods {
  static func table(_ core: ServiceCore) -> MethodTable {
    let (broker, runtimes, trials) = (core.broker, core.runtimes, core.trials)
    let selectors = SelectorResolver(store: core.store, runtimes: runtimes)
    let sharing = [
      LibraryListMethods(runtimes: runtimes, uid: core.uid).methods, SetupMethods(core: core).methods, offers, owners,
      PluginMethods(plugins: core.plugins, uid: core.uid).methods, BackupMethods(core: core).methods,
    ]
    let access = [
      AppMethods().methods, GrantMethods(trials: trials).methods, SelectionMethods(selectors: selectors).methods,
      PromptMethods(selectors: selectors, watchers: core.promptWatchers).methods, TokenMethods().methods,
      RecordMethods(broker: broker, store: core.store, runtimes: runtimes, trials: trials).methods,
      RuleMethods(broker: broker, selectors: selectors, trials: trials).methods,
      PickerAnswerMethods(watchers: core.promptWatchers).methods,
      DeletionAnswerMethods(watchers: core.promptWatchers).methods,
    ]
    let photos = [
      OwnedAssetMethods(broker: broker, store: core.store, runtimes: runtimes, selectors: selectors).methods,
      AlbumMethods(runtimes: runtimes, selectors: selectors).methods, PictureMethods(runtimes: runtimes).methods,
      PageMethods(
        broker: broker, environment: core.environment, pages: core.pages, runtimes: runtimes, selectors: selectors
      ).methods,
    ]
    let sandbox = (core.environment as? SandboxEnvironment).map { SandboxMethods(environment: $0, core: core) }
    let groups = [Introspection.methods] + sharing + access + photos + [sandbox?.methods ?? []]
    var interfaces = [(name: Admin.interfaceName, text: Admin.interfaceText)]
    if sandbox != nil { interfaces.append((Sandbox.interfaceName, Sandbox.interfaceText)) }
    interfaces.append((VarlinkService.interfaceName, VarlinkService.interfaceText))
    return MethodTable(groups.flatMap { $0 }, interfaces: interfaces)
  }
}
