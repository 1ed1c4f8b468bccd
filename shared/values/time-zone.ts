/** Names of time zones. */

/** Names differ by case, which this runtime would overlook; offsets are no names. */
export function isTimeZoneName(name: string): boolean {
  if (!/^[A-Z]/.test(name)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
