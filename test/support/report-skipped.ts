/**
 * Reports tests that cannot run on this machine: declares one test in their place, which `npm test` counts as skipped.
 */
export function reportSkipped(skipped: string, reason: string): void {
  it(`SKIPPED, ${reason}: ${skipped}`, () => {
    process.stderr.write(`\nSKIPPED: ${skipped}: ${reason}\n`);
  });
}
