/**
 * A custom kind with two versions, one of which is stored while the other needs a conversion webhook; stored objects of
 * it, and a conversion webhook that runs in this process. For tests.
 */
import { hiddenFields } from '../../../apiserver/registry/object/hidden-fields';
import type { Entry } from '../../../apiserver/cache/cache';
import type { CallOptions, WebhookClient } from '../../../apiserver/webhook-client/client';
import type { Reply } from '../../../apiserver/webhook-client/reply';
import type { KindRow } from '../../../shared/api/kinds';
import { isObject, objectAt, stringAt, type JsonArray, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { parseDefinition } from './parse-definition';

const SCHEMA: JsonObject = {
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
};

/** The rows of v1 and v2, of which `storage` is stored. Different descriptions make different definitions. */
export function convertedRows(description = '', storage: 'v1' | 'v2' = 'v1'): readonly [first: KindRow, second: KindRow] {
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const [first, second] = parseDefinition({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [
        { name: 'v1', served: true, storage: storage === 'v1', schema: SCHEMA },
        {
          name: 'v2',
          served: true,
          storage: storage === 'v2',
          schema: { openAPIV3Schema: { ...objectAt(SCHEMA, 'openAPIV3Schema'), description } },
        },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://webhook.example/convert' } },
      },
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }], storedVersions: [storage] },
  }).rows;
  if (first === undefined || second === undefined) throw new Error('no rows');
  return [first, second];
}

/** A stored object in the version of the row. */
export function storedWidget(row: KindRow, name: string, revision: number, spec: JsonObject = {}): Entry {
  const object = { metadata: { name, namespace: 'n', uid: name, resourceVersion: String(revision) }, spec };
  const fields = hiddenFields({ row, hub: row }, object, 0, 0) ?? {};
  return { key: `n/${name}`, revision, bytes: Buffer.from(JSON.stringify(object)), labels: {}, fields, isDialectSensitive: false };
}

export interface ConversionCall {
  /** The names of the objects in the call. */
  readonly names: readonly string[];
  /** The desired version. */
  readonly to: string;
  readonly bytes: number;
  readonly options: CallOptions;
}

/**
 * Converts every object to the desired version and sets `seen` in its spec. Responds at once, or when the test releases
 * the pending calls.
 */
export class InProcessConversionWebhook implements Pick<WebhookClient, 'call'> {
  readonly calls: ConversionCall[] = [];
  /** Functions that let the calls continue which wait for `releasePending`. */
  pendingCalls: (() => void)[] = [];
  /** The largest number of waiting calls so far. */
  maxPending = 0;
  /** Whether later calls wait. */
  isHolding = false;
  /** Fails all calls with this error while set. */
  fault: string | undefined;
  /** Also applied to the metadata of each converted object. */
  changeMetadata: (metadata: JsonObject) => JsonObject = (metadata) => metadata;

  async call(_target: Parameters<WebhookClient['call']>[0], body: Buffer, options: CallOptions): Promise<Reply> {
    const value: JsonValue = JSON.parse(body.toString());
    const request = isObject(value) ? (objectAt(value, 'request') ?? {}) : {};
    const objects: JsonArray = Array.isArray(request['objects']) ? request['objects'] : [];
    const to = stringAt(request, 'desiredAPIVersion') ?? '';
    const received = objects.filter(isObject);
    this.calls.push({
      names: received.map((object) => stringAt(objectAt(object, 'metadata') ?? {}, 'name') ?? ''),
      to,
      bytes: body.length,
      options,
    });
    if (this.isHolding) {
      const released = new Promise<void>((resolve) => this.pendingCalls.push(resolve));
      this.maxPending = Math.max(this.maxPending, this.pendingCalls.length);
      await released;
    }
    if (this.fault !== undefined) return { error: this.fault, isCallFailure: true };
    const convertedObjects = received.map((object) => ({
      ...object,
      apiVersion: to,
      metadata: this.changeMetadata(objectAt(object, 'metadata') ?? {}),
      spec: { ...objectAt(object, 'spec'), seen: true },
    }));
    const response = { uid: stringAt(request, 'uid') ?? '', convertedObjects, result: { status: 'Success' } };
    return { bytes: Buffer.from(JSON.stringify({ kind: 'ConversionReview', apiVersion: 'apiextensions.platform.io/v1', response })) };
  }

  /** Responds to all pending calls. */
  releasePending(): void {
    const pending = this.pendingCalls;
    this.pendingCalls = [];
    for (const resolve of pending) resolve();
  }
}
