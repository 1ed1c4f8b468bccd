/**
 * Describes a conversion between two versions of a kind that requires a webhook: the webhook, and the versions with their
 * codecs. Calls nothing.
 */
import { codecOf, type KindCodec } from '../../shared/api/codec/codec';
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { KindRow } from '../../shared/api/kinds';
import type { ConversionWebhook, CustomVersion } from '../../shared/api/structural/version';

/** One conversion: the webhook, and the versions between which it converts. */
export interface WebhookConversion {
  readonly webhook: ConversionWebhook;
  /** Name of the CustomResourceDefinition. */
  readonly definition: string;
  readonly kind: string;
  readonly from: { readonly name: string; readonly apiVersion: string; readonly custom: CustomVersion; readonly codec: KindCodec };
  readonly to: { readonly name: string; readonly apiVersion: string; readonly codec: KindCodec };
}

/** `undefined` when the kind has no conversion webhook. */
export function webhookConversionOf({ group, kind, type, custom }: KindRow, from: string, to: string): WebhookConversion | undefined {
  if (custom?.webhook === undefined) return undefined;
  const fromVersion = custom.versions.get(from) ?? custom;
  const toVersion = custom.versions.get(to) ?? custom;
  return {
    webhook: custom.webhook,
    definition: custom.definition,
    kind,
    from: {
      name: from,
      apiVersion: apiVersionOf({ group, version: from }),
      custom: fromVersion,
      codec: codecOf({ type, custom: fromVersion }),
    },
    to: { name: to, apiVersion: apiVersionOf({ group, version: to }), codec: codecOf({ type, custom: toVersion }) },
  };
}
