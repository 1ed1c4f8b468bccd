/** What is new in every run, as patterns for those who replace it. */
export const UID_PATTERN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const TIME_PATTERN = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** A name that was generated from `g-`. */
export const GENERATED_NAME_PATTERN = /g-[a-z0-9]{5}/g;
