internal import Gateway
internal import Recording
internal import Values

/// The certificate as one HTML page that fits on a sheet of A4 paper. It loads no other files, and
/// uses the same colours and font as the page for phones.
struct CertificatePage {
  let report: CertificateReport

  var html: String {
    let text = CertificateText(report)
    let state = report.certificate.isWhole ? "ok" : "warning"
    let verdict =
      report.certificate.isWhole
      ? "Every chunk was read and matches its hash."
      : report.certificate.partText.map { $0 + "." }
        ?? "Data is missing or damaged. The losses are listed below."
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Certificate of session \(Self.escaped("\(report.certificate.session.id)"))</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <main\(text.streams.count + text.boards.count > 16 ? " class=\"dense\"" : "")>
      <header>\(Self.logo)<h1>Certificate of a recording</h1></header>
      <p class="state \(state)">\(verdict)</p>
      <dl>\(text.facts.map { Self.pair($0.0, $0.1) }.joined())</dl>
      <h2>Boards</h2>
      \(Self.table(CertificateText.boardTitles, text.boards, numbers: 0..<0))
      <h2>Streams</h2>
      \(Self.table(CertificateText.streamTitles, text.streams, numbers: 3..<10))
      \(Self.list("Losses by reason (~ estimated)", text.losses))
      \(Self.list("Sensors", text.calibrations))
      <h2>Methods</h2>
      <p class="small">\(Self.escaped(text.methods))</p>
      <h2>Hashes (BLAKE2b)</h2>
      <dl class="hashes">\(text.hashes.map { Self.pair($0.0, $0.1) }.joined())</dl>
      <p class="quiet">Issued \(report.issued.iso8601(decimals: 0)) by \(Version.program) \
      \(Version.number). The hash of the certificate covers all figures on this page. To check them: \
      footbridge verify CERTIFICATE.json</p>
      </main>
      </body>
      </html>

      """
  }

  /// Maximum number of list entries, and half that of table rows, so that the page fits on one
  /// sheet. The JSON contains all entries.
  private static let longestList = 12

  private static func list(_ title: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let rest = lines.count - longestList
    let shown =
      lines.prefix(longestList).map { "<li>\(escaped($0))</li>" }
      + (rest > 0 ? ["<li>and \(rest) more in the JSON file</li>"] : [])
    return "<h2>\(escaped(title))</h2>\n<ul>\(shown.joined())</ul>"
  }

  private static func table(
    _ titles: [String], _ rows: [[String]], numbers: Range<Int>
  ) -> String {
    func cells(_ row: [String], _ tag: String) -> String {
      let cells = row.enumerated().map { place, text in
        "<\(tag)\(numbers.contains(place) ? " class=\"number\"" : "")>\(escaped(text))</\(tag)>"
      }
      return "<tr>\(cells.joined())</tr>"
    }
    let rest = rows.count - 2 * longestList
    let more = rest > 0 ? "<p class=\"quiet\">and \(rest) more in the JSON file</p>" : ""
    return "<table>\(cells(titles, "th"))"
      + rows.prefix(2 * longestList).map { cells($0, "td") }.joined() + "</table>" + more
  }

  private static func pair(_ title: String, _ value: String) -> String {
    "<div><dt>\(escaped(title))</dt><dd>\(escaped(value))</dd></div>"
  }

  /// Escapes the characters that have a special meaning in HTML. Names may contain any character.
  static func escaped(_ text: String) -> String {
    let entities = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
    return entities.reduce(PlainText.cleaned(text, mayHaveLines: false)) { text, entity in
      text.replacing(entity.0, by: entity.1)
    }
  }

  private static let logo = """
    <svg viewBox="0 0 64 64" aria-hidden="true"><rect width="64" height="64" rx="14" \
    fill="#0b5d4e"/><path d="M6 44h52M10 44c6-18 38-18 44 0M20 44V33m12 11V30m12 14V33" \
    fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
    """

  /// The colours of the light scheme in `page.css`, because paper is white.
  private static let style = """
    :root {
      --ground: #f4f6f4; --card: #fff; --edge: #cfd6d2; --ink: #101b17; --dim: #4d5a55;
      --accent: #0b5d4e; --ok: #11663a; --warning: #8a4a00; --ok-soft: #e1f1e6;
      --warning-soft: #fdeed6; color-scheme: light;
    }
    @page { size: A4; margin: 12mm; }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
      font: 12px/1.35 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      font-variant-numeric: tabular-nums; -webkit-print-color-adjust: exact;
      print-color-adjust: exact;
    }
    main {
      max-width: 186mm; margin: 12px auto; padding: 20px; background: var(--card);
      border: 1px solid var(--edge); border-radius: 14px;
    }
    header { display: flex; align-items: center; gap: 10px; margin-bottom: 8px; }
    header svg { width: 34px; height: 34px; }
    h1 { font-size: 20px; margin: 0; }
    h2 { font-size: 13px; margin: 10px 0 4px; color: var(--accent); }
    p { margin: 0 0 6px; }
    ul { margin: 0; padding-left: 16px; columns: 2; column-gap: 24px; }
    li { break-inside: avoid; }
    .state { padding: 5px 10px; border-radius: 10px; font-weight: 650; }
    .ok { background: var(--ok-soft); color: var(--ok); }
    .warning { background: var(--warning-soft); color: var(--warning); }
    dl { display: grid; grid-template-columns: 1fr 1fr; gap: 0 18px; margin: 0; }
    dl div { display: flex; gap: 8px; padding: 2px 0; border-bottom: 1px solid var(--edge); }
    dt { color: var(--dim); flex: 0 0 84px; }
    dd { margin: 0; }
    .hashes { grid-template-columns: 1fr; }
    .hashes dd { font: 10.5px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
    table { width: 100%; border-collapse: collapse; font-size: 0.92em; }
    th { text-align: left; color: var(--dim); font-weight: 600; }
    th, td {
      padding: 2px 6px 2px 0; border-bottom: 1px solid var(--edge); vertical-align: top;
      overflow-wrap: break-word;
    }
    td:first-child, td.number { white-space: nowrap; }
    .number { text-align: right; }
    .quiet { color: var(--dim); margin-top: 8px; }
    @media print {
      body { background: var(--card); font-size: 10.5px; }
      main { margin: 0; padding: 0; border: 0; max-width: none; }
      .dense { font-size: 8.5px; }
      .dense th, .dense td, .dense dl div { padding-top: 1px; padding-bottom: 1px; }
      .dense h2 { margin: 6px 0 2px; }
    }
    """
}
