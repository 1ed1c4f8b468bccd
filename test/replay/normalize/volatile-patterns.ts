/** Patterns of values that are new in every run. */
export const UID_PATTERN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const TIME_PATTERN = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** A name that was generated from the prefix `g-`. */
export const GENERATED_NAME_PATTERN = /g-[a-z0-9]{5}/g;
