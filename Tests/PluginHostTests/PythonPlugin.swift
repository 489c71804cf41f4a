/// Plugins in Python that use the protocol alone.
enum PythonPlugin {
  /// The channel and message functions of each plugin.
  static let wire = #"""
    import array, ctypes, json, os, signal, socket, sys, time
    channel = socket.socket(fileno=3)
    class Failure(Exception): pass
    def answer(parameters): channel.sendall(json.dumps({"parameters": parameters}).encode() + b"\0")
    def refuse(code, message):
        channel.sendall(json.dumps({"error": "io.photobroker.Plugin.PluginError",
            "parameters": {"code": code, "message": message}}).encode() + b"\0")
    def calls():
        data, files = b"", []
        while True:
            while b"\0" in data:
                message, data = data.split(b"\0", 1)
                call = json.loads(message)
                yield call["method"].rsplit(".", 1)[1], call.get("parameters", {}), files
                for file in files: os.close(file)
                files = []
            piece, passed, _, _ = socket.recv_fds(channel, 65536, 16)
            if not piece: return
            data += piece
            files += passed

    """#

  /// Photos in one flat folder.
  static let folder =
    wire + #"""
      def item(name):
          facts = os.stat(os.path.join(root, name))
          return {"files": [{"role": "original", "locator": name, "filename": name.rsplit("/", 1)[-1],
              "size": facts.st_size, "contentVersion": "%d %d" % (facts.st_mtime_ns, facts.st_ino),
              "identityHint": str(facts.st_ino), "modified": facts.st_mtime_ns // 1000}], "source": "userLibrary"}
      def names():
          found = []
          for place, folders, files in os.walk(root):
              folders[:] = [f for f in folders if not f.startswith(".")]
              photos = [f for f in files if f.lower().endswith((".jpg", ".mov"))]
              found += [os.path.relpath(os.path.join(place, f), root) for f in photos]
          return sorted(found)
      started = False
      before = None
      for method, parameters, files in calls():
          try:
              if method == "Start":
                  options = parameters["options"]
                  for name in options:
                      if name not in ("path",): raise Failure("invalidOption", 'There is no option "%s".' % name)
                  root = options["path"]
                  answer({"kit": 1})
              elif method == "Facts":
                  if not os.path.isdir(root): raise Failure("offline", "The folder is not there.")
                  answer({"root": root, "changeDetection": "rescan", "isReadOnly": False})
              elif method == "Enumerate":
                  if not os.path.isdir(root): raise Failure("offline", "The folder is not there.")
                  start = int(parameters.get("page") or 0)
                  found = names()
                  end = start + 500
                  answer({"items": [item(n) for n in found[start:end]], "skipped": 0,
                      "next": str(end) if end < len(found) else None})
              elif method == "WaitForChanges":
                  end = time.monotonic() + parameters["milliseconds"] / 1000
                  while True:
                      now = [(n, os.stat(os.path.join(root, n)).st_mtime_ns) for n in names()]
                      if now != before or time.monotonic() >= end: break
                      time.sleep(0.02)
                  answer({"changed": now != before})
                  before = now
              elif method == "Add":
                  name, ending = os.path.splitext(parameters["name"])
                  number = 0
                  while True:
                      kept = name + ("-%d" % number if number else "") + ending
                      try: out = os.open(os.path.join(root, kept), os.O_WRONLY | os.O_CREAT | os.O_EXCL); break
                      except FileExistsError: number += 1
                  os.write(out, os.pread(files[parameters["descriptor"]], parameters["size"], 0))
                  os.close(out)
                  answer({"item": item(kept)})
              elif method == "Trash":
                  here = os.path.join(root, parameters["locator"])
                  if os.path.exists(here):
                      version = item(parameters["locator"])["files"][0]["contentVersion"]
                      os.makedirs(os.path.join(root, ".trash", version), exist_ok=True)
                      os.rename(here, os.path.join(root, ".trash", version, parameters["locator"].replace("/", "%")))
                  answer({})
              elif method == "Restore":
                  version = parameters.get("contentVersion")
                  versions = [version] if version else sorted(os.listdir(os.path.join(root, ".trash")), reverse=True)
                  kept = [os.path.join(root, ".trash", v, parameters["locator"].replace("/", "%")) for v in versions]
                  kept = [k for k in kept if os.path.exists(k)]
                  if not kept: raise Failure("notFound", "Nothing of that name is in the trash.")
                  if os.path.exists(os.path.join(root, parameters["locator"])):
                      raise Failure("failed", "Another file has its name.")
                  os.rename(kept[0], os.path.join(root, parameters["locator"]))
                  answer({})
              else: raise Failure("unsupported", "This storage cannot do that.")
          except Failure as failure: refuse(*failure.args)
      """#

  /// The bundled album policies and a third-party one, in Python.
  static let policies =
    wire + #"""
      def read(albums, limited, word=None):
          return [a["identifier"] for a in albums if a["isShared"] and a["title"].startswith(word or "")
                  and (not limited or a["source"] == "userLibrary")]
      name, options = "", {}
      names = {"none": [], "own": [], "full": [],
          "shared-read": [{"name": "create", "type": "flag", "default": "true", "optional": False, "secret": False,
              "summary": "A test."}],
          "family-albums": [{"name": "word", "type": "text", "default": "Family", "optional": False, "secret": False,
              "summary": "A test."}]}
      for method, parameters, files in calls():
          if method == "Describe":
              answer({"kit": 1, "plugins": [{"protocol": "albumPolicy", "name": n, "summary": "A test.", "options": o}
                  for n, o in names.items()]})
          elif method == "Start":
              name, options = parameters["name"], parameters["options"]
              if name in names: answer({"kit": 1})
              else: refuse("unsupported", "There is no such policy.")
          elif method == "DecideAlbums":
              albums, limited = parameters["albums"], parameters["isLimited"]
              own = [a["identifier"] for a in albums if a["isOwn"]]
              every = [a["identifier"] for a in albums if not limited or a["source"] == "userLibrary"]
              if name == "none": answer({"visible": [], "editable": [], "mayCreate": False})
              elif name == "full": answer({"visible": every, "editable": every, "mayCreate": True})
              else:
                  word = options.get("word", "Family") if name == "family-albums" else None
                  shown = [] if name == "own" else read(albums, limited, word)
                  answer({"visible": own + shown, "editable": own,
                      "mayCreate": options.get("create", "true") == "true"})
          else: refuse("unsupported", "This is an album policy.")
      """#

  /// The bundled cloud mapping in Python, for ASCII titles only.
  static let mapping =
    wire + #"""
      import base64, hashlib, hmac
      def name(application, item):
          if item.get("digest") is not None: kind, text = "asset", b"asset " + bytes.fromhex(item["digest"])
          else:
              kind, day = "album", item["created"] // 86400000000
              text = b"album %d " % day + item["title"].strip().lower().encode()
          code = hmac.new(b"photobroker content mapping 1 " + application.encode(), text, hashlib.sha256).digest()
          return "content1-%s-%s" % (kind, base64.urlsafe_b64encode(code).rstrip(b"=").decode())
      for method, parameters, files in calls():
          if method == "Describe":
              answer({"kit": 1, "plugins": [{"protocol": "cloudMapping", "name": "content", "summary": "A test.",
                  "options": []}]})
          elif method == "Start": answer({"kit": 1})
          elif method == "NameItems":
              answer({"names": [name(parameters["application"], i) for i in parameters["items"]]})
          else: refuse("unsupported", "This is a cloud mapping.")
      """#

  /// A plugin whose option `fault` names its misbehaviour.
  static let faulty =
    wire + #"""
      fault = ""
      def file(**other):
          facts = {"role": "original", "locator": "a.jpg", "filename": "a.jpg", "size": 1, "contentVersion": "1",
              "identityHint": None, "modified": 0}
          facts.update(other)
          return {"files": [facts], "source": "userLibrary"}
      def misbehave():
          if fault == "crash": ctypes.string_at(0)
          if fault == "exit": print("giving up\x1b[31m now", file=sys.stderr, flush=True); os._exit(3)
          if fault == "hang": time.sleep(1000)
          if fault == "no json": channel.sendall(b"hello\0")
          if fault == "half a message": channel.sendall(b'{"parameters": {'); os._exit(0)
          if fault == "endless message":
              while True: channel.sendall(b" " * 65536)
          if fault == "endless words":
              for _ in range(20000): print("x" * 10000, file=sys.stderr)
          if fault == "not unicode":
              channel.sendall(b'{"parameters": {"items": [], "skipped": 0, "next": "\xff\xfe"}}\0')
          if fault == "two keys":
              channel.sendall(b'{"parameters": {"items": [], "items": [], "skipped": 0, "next": null}}\0')
          if fault == "deep":
              channel.sendall(b'{"parameters": {"items": ' + b"[" * 10000 + b"]" * 10000 + b', "skipped": 0}}\0')
          if fault == "wrong types": answer({"items": {}, "skipped": "many", "next": 7})
          if fault == "long text":
              answer({"items": [file(), file(locator="b.jpg", filename="b" * 200000)], "skipped": 0})
          if fault == "nothing": channel.sendall(b'{}\0')
          if fault == "two answers": answer({"items": [], "skipped": 0}); answer({"items": [file()], "skipped": 0})
          if fault == "too many items":
              answer({"items": [file(locator="%d.jpg" % i) for i in range(2001)], "skipped": 0})
          if fault == "long message":
              answer({"items": [file(locator="a" * 4000 + "%d.jpg" % i) for i in range(500)], "skipped": 0})
          if fault == "foreign error": channel.sendall(b'{"error": "org.example.Surprise", "parameters": {}}\0')
          if fault == "escape codes": refuse("offline", "gone\x1b[2J\u202e\n\0away" + "x" * 10000)
          if fault == "unknown code": refuse("bored", "I do not feel like it.")
          if fault == "many descriptors":
              socket.send_fds(channel, [b'{"parameters": {"items": [], "skipped": 0}}\0'], [0] * 200)
      for method, parameters, files in calls():
          if method == "Describe": refuse("unsupported", "It does not say.")
          elif method == "Start":
              fault = parameters["options"].get("fault", "")
              if fault == "old kit": answer({"kit": 0})
              elif fault == "will not start": refuse("invalidOption", 'Option "fault" must be something else.')
              elif fault == "dies at start": print("no such disk", file=sys.stderr, flush=True); os._exit(1)
              else: answer({"kit": 1})
          elif method == "Facts":
              if fault == "no root": answer({"root": "relative", "changeDetection": "watch", "isReadOnly": False})
              else: answer({"root": "/tmp", "changeDetection": "telepathy", "isReadOnly": False,
                  "notice": "\x1b[31mred"})
          elif method == "WaitForChanges": answer({"changed": True})
          elif method == "Enumerate":
              if fault == "endless list":
                  page = int(parameters.get("page") or 0)
                  answer({"items": [], "skipped": 0, "next": str(page + 1)})
              elif fault == "hostile items":
                  bad = [file(locator=l) for l in ("../a.jpg", "/etc/passwd", "a/../../b.jpg", "a//b.jpg", "./a.jpg",
                      "", "a\nb.jpg", "a\0b.jpg", "x" * 4097, "\u0600/../a.jpg")]
                  bad += [file(filename=n) for n in ("a/b.jpg", "", "a\x1b.jpg", "x" * 256, ".", "..", "\ufeff",
                      "\u2060 ")]
                  bad += [file(size=-1), file(contentVersion=""), file(contentVersion="x" * 257),
                      file(identityHint="x" * 257), file(role="root"), file(role="raw")]
                  bad += [{"files": [], "source": "userLibrary"}, {"files": file()["files"], "source": "moon"}]
                  raws = [file(role="raw", locator="%d.dng" % i)["files"][0] for i in range(16)]
                  bad += [{"files": file()["files"] + raws, "source": "userLibrary"}]
                  answer({"items": bad + [file(locator="good.jpg", filename="good.jpg"),
                      file(locator="good.jpg", filename="twin.jpg"), file(locator="caf\u00e9.jpg"),
                      file(locator="cafe\u0301.jpg")], "skipped": -5})
              else: misbehave()
          elif method == "DecideAlbums":
              if fault == "grabs albums": answer({"visible": ["0" * 32, "not an album", "f" * 32],
                  "editable": ["e" * 32, "0" * 32], "mayCreate": True})
              else: misbehave()
          else: answer({})
      """#
}
