/** What is served for a CustomResourceDefinition. */
import type { JsonObject } from '../../shared/values/json';
import { parseDefinition } from '../../test/support/objects/parse-definition';

const SCHEMA: JsonObject = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };

/** A definition with the versions v1, v1beta1 and v1alpha1, of which the last is not served. */
function definition(changes: { spec?: JsonObject; status?: JsonObject; metadata?: JsonObject } = {}): JsonObject {
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'], categories: ['all'] };
  return {
    metadata: { name: 'widgets.example.com', ...changes.metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: SCHEMA,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
          additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
          selectableFields: [{ jsonPath: '.spec.color' }],
        },
        { name: 'v1beta1', served: true, storage: false, deprecated: true, schema: SCHEMA },
        { name: 'v1alpha1', served: false, storage: false, schema: SCHEMA },
      ],
      ...changes.spec,
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'], ...changes.status },
  };
}

describe('CustomResourceDefinition', () => {
  it('yields a row for every served version, with the settings of the version', () => {
    const { rows, stored, isEstablished, isTerminating } = parseDefinition(definition());
    expect({ isEstablished, isTerminating, stored }).toEqual({
      isEstablished: true,
      isTerminating: false,
      stored: { name: 'widgets.example.com', segment: 'example.com/widgets', namespaced: true },
    });
    expect(rows).toMatchObject([
      {
        group: 'example.com',
        version: 'v1',
        kind: 'Widget',
        resource: 'widgets',
        singular: 'widget',
        shortNames: ['wd'],
        categories: ['all'],
        namespaced: true,
        subresources: [{ name: 'status' }, { name: 'scale' }],
        selectableFields: [{ name: 'spec.color', path: 'spec.color' }],
        custom: {
          definition: 'widgets.example.com',
          storageVersion: 'v1',
          columns: [{ name: 'N', type: 'integer', format: '', description: '', priority: 0, jsonPath: '.spec.n' }],
          scale: { specReplicas: '.spec.n', statusReplicas: '.status.n', labelSelector: '' },
        },
      },
      {
        version: 'v1beta1',
        subresources: [],
        deprecationWarning: 'example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget',
        custom: { columns: [] },
      },
    ]);
    const [v1, v1beta1] = rows;
    expect(v1beta1).not.toHaveProperty('selectableFields');
    expect([...(v1?.custom?.versions.keys() ?? [])]).toEqual(['v1', 'v1beta1', 'v1alpha1']);
  });

  it('rows use the accepted names, not the requested ones', () => {
    const [row] = parseDefinition(
      definition({ status: { acceptedNames: { plural: 'widgets', kind: 'Widget', shortNames: ['w2'] } } }),
    ).rows;
    expect(row).toMatchObject({ singular: '', shortNames: ['w2'], categories: [] });
  });

  it('counts as established by its condition, also while it is terminating', () => {
    expect(parseDefinition(definition({ status: { conditions: [{ type: 'Established', status: 'False' }] } })).isEstablished).toBe(false);
    const terminating = parseDefinition(definition({ metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } }));
    expect(terminating.isEstablished).toBe(true);
    expect(terminating.isTerminating).toBe(true);
  });

  /** A definition with one version, v1, of another schema. */
  const withOtherSchema = definition({
    spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] },
  });

  it('schema ids differ by schema and by selectable fields', () => {
    const [v1, v1beta1] = parseDefinition(definition()).rows;
    // The same schema; v1beta1 has no selectable fields.
    expect(v1?.custom?.schemaId).not.toBe(v1beta1?.custom?.schemaId);
    const [otherV1] = parseDefinition(withOtherSchema).rows;
    // Another schema; neither has selectable fields.
    expect(otherV1?.custom?.schemaId).not.toBe(v1beta1?.custom?.schemaId);
  });

  it('identities differ exactly by what is served', () => {
    const { identity } = parseDefinition(definition());
    expect(parseDefinition(definition({ metadata: { labels: { a: 'b' } } })).identity).toBe(identity);
    expect(parseDefinition(withOtherSchema).identity).not.toBe(identity);
  });
});
