/** What cannot run on this machine, said loudly: one test that stands for it, whose title makes `npm test` count it as skipped. */
export function skipLoudly(what: string, why: string): void {
  it(`SKIPPED, ${why}: ${what}`, () => {
    process.stderr.write(`\nSKIPPED: ${what}: ${why}\n`);
  });
}
