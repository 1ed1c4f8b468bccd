/** Patterns of values that are new in every run, or worded differently by each server. */
export const UID_PATTERN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const TIME_PATTERN = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** A name that was generated from the prefix `g-`. */
export const GENERATED_NAME_PATTERN = /g-[a-z0-9]{5}/g;
/** Upstream explains the pattern of a name at length: `(e.g. 'my-name', regex used for validation is '[a-z]…')`. */
export const PATTERN_EXPLANATION = /\(e\.g\. '[^)]*?regex used for validation is '(?:[^'])*'\)/g;
