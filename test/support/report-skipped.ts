/**
 * Reports tests that cannot run on this machine: declares one test in their place, which `npm test` counts as skipped.
 */
export function reportSkipped(title: string, reason: string): void {
  it(`SKIPPED, ${reason}: ${title}`, () => {
    process.stderr.write(`\nSKIPPED: ${title}: ${reason}\n`);
  });
}
