/**
 * A CustomResourceDefinition on the reference server, and requests for its objects. Version v1, in which objects are
 * stored, allows every object by default; v2 has the schema under test. An object that the schema under test would
 * reject is created through v1.
 */
import { waitUntil } from '../../../support/programs';
import { membersOf, metadataOf, objectsIn, resourceVersionOf, type Body, type Json, type JsonResponse } from '../../json-response';
import type { ReferenceServer } from '../reference-server';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLY_TYPE = 'application/apply-patch+yaml';
const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
/** A schema that allows every object. */
export const ANY_OBJECT: Body = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** One manager's write of an object, a step of a sequence. */
export interface ManagedWrite {
  /** The field manager. */
  readonly by: string;
  /** The body of an apply. */
  readonly apply?: Body;
  /** The body of a create or an update, when there is no apply. */
  readonly update?: Body;
  readonly force?: true;
}

export class CustomDefinition {
  private readonly group: string;
  private readonly plural: string;

  /** `topic` and `index` make the name of the definition unique. `versions` are those besides v1, which has the stored schema. */
  constructor(
    private readonly server: ReferenceServer,
    topic: string,
    index: number,
    private readonly versions: readonly Body[],
    private readonly storedSchema = ANY_OBJECT,
  ) {
    this.group = `${topic}.schema.example.com`;
    this.plural = `things${index}`;
  }

  /** Creates the definition, runs `use` while v2 is served, and deletes the definition. */
  async during<T>(use: () => Promise<T>): Promise<T> {
    const path = `${DEFINITIONS}/${this.plural}.${this.group}`;
    try {
      await this.server.create(DEFINITIONS, this.body());
      await waitUntil(`${this.path('v2')} to be served`, async () => (await this.server.sendJson('GET', this.path('v2'))).code === 200);
      return await use();
    } finally {
      await this.server.sendJson('DELETE', path);
      // The next definition has a kind of the same name.
      await waitUntil(`${path} to be deleted`, async () => (await this.server.sendJson('GET', path)).code === 404);
    }
  }

  /** A dry run of a creation through v2. */
  create(sent: Body): Promise<JsonResponse> {
    return this.server.sendJson('POST', `${this.path('v2')}?dryRun=All`, this.object('v2', 'x', sent));
  }

  /** Stores an object through v1. */
  async store(name: string, sent: Body): Promise<void> {
    await this.server.create(this.path('v1'), this.object('v1', name, sent));
  }

  /** A dry run of an update of a stored object through v2. */
  async update(name: string, sent: Body): Promise<JsonResponse> {
    const path = `${this.path('v2')}/${name}`;
    const resourceVersion = resourceVersionOf((await this.server.sendJson('GET', path)).body);
    return this.server.sendJson('PUT', `${path}?dryRun=All`, this.object('v2', name, sent, { resourceVersion }));
  }

  /** An apply, or an update that creates an absent object, through v2. The object is stored. */
  async write(name: string, { by, apply, update = {}, force }: ManagedWrite): Promise<JsonResponse> {
    const path = `${this.path('v2')}/${name}`;
    const query = `?fieldManager=${by}${force === undefined ? '' : '&force=true'}`;
    if (apply !== undefined) return this.server.sendJson('PATCH', `${path}${query}`, this.object('v2', name, apply), APPLY_TYPE);
    const current = await this.server.sendJson('GET', path);
    if (current.code === 404) return this.server.sendJson('POST', `${this.path('v2')}${query}`, this.object('v2', name, update));
    const metadata = { resourceVersion: resourceVersionOf(current.body) };
    return this.server.sendJson('PUT', `${path}${query}`, this.object('v2', name, update, metadata));
  }

  /** All objects as a Table in a version. */
  async table(version: string): Promise<{ readonly columns: Json; readonly rows: readonly (readonly Json[])[] }> {
    const { bytes } = await this.server.send({ method: 'GET', path: this.path(version), headers: { accept: TABLE_TYPE } });
    const { columnDefinitions = null, rows }: Body = JSON.parse(bytes.toString());
    const cells = objectsIn(rows).map((row) => row['cells']);
    return { columns: columnDefinitions, rows: cells.map((list) => (Array.isArray(list) ? list : [])) };
  }

  /** The schema of the kind in both versions of OpenAPI, which follow the definition after a while. */
  async schemas(): Promise<Body> {
    const name = `${this.group.split('.').reverse().join('.')}.v2.Thing`;
    const read = (path: string, schemasIn: (document: Body) => Json | undefined): Promise<Body> =>
      waitUntil(`the schema ${name} at ${path}`, async () => {
        const { code, body } = await this.server.sendJson('GET', path);
        const kind = code === 200 ? membersOf(schemasIn(body))[name] : undefined;
        return kind !== undefined && { kind };
      });
    const v3 = await read(`/openapi/v3/apis/${this.group}/v2`, ({ components }) => membersOf(components)['schemas']);
    return { v2: await read('/openapi/v2', ({ definitions }) => definitions), v3 };
  }

  private body(): Body {
    const versions = [definitionVersion('v1', this.storedSchema), ...this.versions];
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${this.plural}.${this.group}` },
      spec: { group: this.group, scope: 'Namespaced', names: { plural: this.plural, kind: 'Thing' }, versions },
    };
  }

  private object(version: string, name: string, sent: Body, metadata: Body = {}): Body {
    return {
      apiVersion: `${this.group}/${version}`,
      kind: 'Thing',
      ...sent,
      metadata: { name, ...metadata, ...metadataOf(sent) },
    };
  }

  private path(version: string): string {
    return `/apis/${this.group}/${version}/namespaces/default/${this.plural}`;
  }
}

/** A served version of a definition; v1 is the stored one. */
export function definitionVersion(name: string, schema: Body, more: Body = {}): Body {
  return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: schema }, ...more };
}
