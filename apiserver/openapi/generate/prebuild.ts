/** Makes what built-in kinds say in every document and form, before anybody asks. */
import type { KindRow } from '../../../shared/api/kinds';
import { DIALECTS } from '../../../shared/names/dialect';
import type { Describe } from '../descriptions';
import { PartMaker } from '../part-job';
import { digestName, type ReadyPart, type ReadyParts } from '../prebuilt-parts';
import { subjectsOf } from '../subjects';

const MEDIA = ['json', 'protobuf'] as const;

/** `rows` = the kinds that are served where nobody has said otherwise. */
export function makeReady(rows: readonly KindRow[], describe: Describe, into: ReadyParts): void {
  const maker = new PartMaker(describe);
  const parts: ReadyPart[] = [];
  const digests = new Map<string, string>();
  for (const naming of DIALECTS) {
    for (const media of MEDIA) {
      const form = { version: 'v2', media } as const;
      const { part, digest = '' } = maker.make({ type: 'builtIn', rows, dialect: naming, form });
      parts.push({ dialect: naming, form, part });
      digests.set(digestName({ dialect: naming }), digest);
    }
    // Most documents are the same whatever names were chosen.
    const subjects = [...subjectsOf(rows, naming, true).values()].filter((subject) => !digests.has(digestName(subject)));
    for (const { custom: _, isBuiltIn: __, ...of } of subjects) {
      for (const media of MEDIA) {
        const { dialect, name } = of;
        const form = { version: 'v3', media } as const;
        parts.push({ dialect, name, form, part: maker.make({ type: 'groupVersion', rows, custom: [], of, dialect, form }).part });
      }
    }
    const made = maker.digests({ type: 'digests', rows, subjects });
    for (const subject of subjects) digests.set(digestName(subject), made.get(subject.name) ?? '');
  }
  into.write(rows, digests, parts);
}
