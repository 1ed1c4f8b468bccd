/**
 * Compares the output that a page shows with the output of the command. White space, ages and the generated parts of
 * names differ between runs and are ignored.
 */

const UID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g;
/** The suffixes of the pods of a Deployment: the hash of the template and five random characters. */
const POD_SUFFIX = /-[a-z\d]{8,10}-[a-z\d]{5}\b/g;
/** Such as `3s`, `1m12s` or `2d3h`; every unit is optional, and the age ends with one of them. */
const AGE = /\b(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?<=[dhms])(?!\w)/g;

const maskVolatile = (text: string): string =>
  text.trim().replaceAll(/\s+/g, ' ').replaceAll(UID, '<uid>').replaceAll(POD_SUFFIX, '-<suffix>').replaceAll(AGE, '<age>');

/** Whether the output of a command is the one that a page shows, apart from what differs between runs. */
export const matchesShown = (shown: string, output: string): boolean => maskVolatile(shown) === maskVolatile(output);
