/** Paths of generated custom kinds, rendered with templates and directly. */
import fc from 'fast-check';
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import type { JsonObject } from '../../../shared/values/json';
import { parseDefinition } from '../../../test/support/objects/parse-definition';
import { renderPaths, pathDialectsOf } from '../documents/documents';
import type { PartForm } from '../documents/response-form';
import { MessageWriter } from '../message/message';
import { MessageBuffer } from '../../../shared/serialization/protobuf/message-buffer';
import { OPENAPI_MESSAGES, PATHS_FIELD } from './openapi-messages';
import { pathsOf } from '../documents/operations';
import { PathTemplates } from './path-templates';

const FORMS: readonly PartForm[] = (['v2', 'v3'] as const).flatMap((version) =>
  (['json', 'protobuf'] as const).map((media) => ({ version, media })),
);
const DIALECTS: readonly Dialect[] = ['platform', 'kubernetes'];

/**
 * Renders paths without templates, in the order of the templates: namespaced paths first, whatever the name of the
 * resource.
 */
function renderDirectly(row: KindRow, dialect: Dialect, { version, media }: PartForm): string {
  const written = pathDialectsOf(row, dialect, version).map((spelling) => {
    const rendered = Object.entries(renderPaths(pathsOf(row, spelling), dialect, version));
    const isNamespaced = ([path]: readonly [string, unknown]): boolean => path.includes('/namespaces/{namespace}/');
    const paths = Object.fromEntries([...rendered.filter(isNamespaced), ...rendered.filter((entry) => !isNamespaced(entry))]);
    if (media === 'json') return JSON.stringify(paths).slice(1, -1);
    const bytes = new MessageBuffer();
    const [number, shape] = PATHS_FIELD[version];
    new MessageWriter(OPENAPI_MESSAGES[version], bytes).field(number, shape, paths);
    return bytes.finish().toString();
  });
  return written.join(media === 'json' ? ',' : '');
}

/** A label of a DNS name. */
const anyLabel = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}[a-z0-9]$/);
const SCALE = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const anySubresources = fc.constantFrom<JsonObject>({}, { status: {} }, { scale: SCALE }, { status: {}, scale: SCALE });

/** A kind with any names, scope and subresources. */
const anyRow = fc
  .record({
    group: fc.oneof(
      fc.array(anyLabel, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.')),
      fc.constant('policy.platform.io'),
    ),
    version: fc.oneof(fc.stringMatching(/^v[1-9]((alpha|beta)[1-9])?$/), anyLabel),
    plural: anyLabel,
    // Some kinds are words that YAML quotes.
    kind: fc.oneof(fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,30}$/), fc.constantFrom('No', 'Yes', 'Null', 'True', 'y', 'Y', 'On', 'Inf')),
    scope: fc.constantFrom('Namespaced', 'Cluster'),
    subresources: anySubresources,
  })
  .map(({ group, version, plural, kind, scope, subresources }): KindRow => {
    const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
    const served = { name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } }, subresources };
    const definition = {
      metadata: { name: `${plural}.${group}` },
      spec: { group, names, scope, versions: [served] },
      status: { acceptedNames: names },
    };
    const [only] = parseDefinition(definition).rows;
    if (only === undefined) throw new Error('no version');
    return only;
  });

describe.each(FORMS)('PathTemplates of $version in $media', (form) => {
  const templates = new PathTemplates();

  test.each(DIALECTS)('write the same bytes as direct rendering of a kind in the dialect %s', (dialect) => {
    fc.assert(
      fc.property(anyRow, (kind) => {
        const bytes = new MessageBuffer();
        templates.write(kind, dialect, form, bytes);
        expect(bytes.finish().toString()).toBe(renderDirectly(kind, dialect, form));
      }),
      { numRuns: 60 },
    );
  });
});
