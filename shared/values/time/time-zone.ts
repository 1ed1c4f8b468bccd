/**
 * Whether the text is the name of an IANA time zone. Case-sensitive, unlike `Intl`; offsets (`+01:00`) are not names.
 */
export function isTimeZoneName(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    // An alias resolves to another name; a name that `Intl` accepts in the wrong case resolves to its proper spelling.
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
