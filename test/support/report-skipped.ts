/** What cannot run on this machine, said loudly: one test that stands for it, whose title makes `npm test` count it as skipped. */
export function reportSkipped(skipped: string, reason: string): void {
  it(`SKIPPED, ${reason}: ${skipped}`, () => {
    process.stderr.write(`\nSKIPPED: ${skipped}: ${reason}\n`);
  });
}
