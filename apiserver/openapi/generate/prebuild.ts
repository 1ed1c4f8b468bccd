/**
 * Builds the parts of the built-in kinds for every document and encoding, and the digests of the documents. Runs at
 * build time only; the server reads the parts through prebuilt-parts.ts.
 */
import type { KindRow } from '../../../shared/api/kinds';
import { DIALECTS } from '../../../shared/names/dialect';
import type { Describe } from '../documents/descriptions';
import { PartBuilder } from '../parts/part-job';
import { digestKey, type PrebuiltPart, type PrebuiltParts } from '../parts/prebuilt-parts';
import { subjectsOf } from '../parts/subjects';

const MEDIA = ['json', 'protobuf'] as const;

/** Writes the parts to `prebuilt`, which must be empty. `rows` are the kinds that are served by default. */
export function buildPrebuiltParts(rows: readonly KindRow[], describe: Describe, prebuilt: PrebuiltParts): void {
  const builder = new PartBuilder(describe);
  const parts: PrebuiltPart[] = [];
  const digests = new Map<string, string>();
  for (const naming of DIALECTS) {
    for (const media of MEDIA) {
      const form = { version: 'v2', media } as const;
      const { part, digest = '' } = builder.build({ type: 'builtIn', rows, dialect: naming, form });
      parts.push({ dialect: naming, form, part });
      digests.set(digestKey({ dialect: naming }), digest);
    }
    // In the second pass only the documents that follow `naming` are new: the core group and the server itself.
    const subjects = [...subjectsOf(rows, { naming, servesOpenId: true }).values()].filter((subject) => !digests.has(digestKey(subject)));
    for (const { custom: _, isBuiltIn: __, ...subject } of subjects) {
      for (const media of MEDIA) {
        const { dialect, name } = subject;
        const form = { version: 'v3', media } as const;
        const { part } = builder.build({ type: 'groupVersion', rows, customRows: [], subject, dialect, form });
        parts.push({ dialect, name, form, part });
      }
    }
    const subjectDigests = builder.digests({ type: 'digests', rows, subjects });
    for (const subject of subjects) digests.set(digestKey(subject), subjectDigests.get(subject.name) ?? '');
  }
  prebuilt.write(rows, digests, parts);
}
