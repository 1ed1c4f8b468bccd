/**
 * Converts the objects of one request and the parameters of bindings by conversion webhooks, for the evaluation of
 * policies. Evaluation is synchronous: while a webhook is called, {@link PendingResult} aborts it, and the caller repeats it
 * when the result has arrived. Each conversion is made once.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import { yieldSlot } from '../../../shared/scheduling/yielding';
import type { JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import type { AdmissionRequest } from '../../registry/admission';
import type { Conversions } from '../../registry/conversions';
import { versionToConvertFrom } from '../../registry/object/hidden-fields';
import type { ServedResource } from '../../registry/verbs';
import { PendingResult } from '../webhook/authorizer-decisions';
import { convertObject, isWebhookConverted } from '../webhook/versioned-objects';
import type { ConvertParameters, ParameterConfigurationError } from './parameters';

const BINDING_ERROR = 'failed to configure binding';
const CONVERSION_ERROR = `${BINDING_ERROR}: failed to convert object version`;

/** The conversions for one request. A failed conversion is a configuration error of the binding. */
export class PolicyConversions {
  /** By version, the request that a conversion webhook converted to it, or the error of the conversion. */
  private readonly requestByVersion = new Map<string, AdmissionRequest | ParameterConfigurationError>();
  /** By stored entry of a parameter, the entry that a conversion webhook converted, or the error of the conversion. */
  private readonly convertedEntries = new Map<Entry, Entry | ParameterConfigurationError>();

  constructor(
    private readonly conversions: Pick<Conversions, 'convertEntries'>,
    private readonly request: AdmissionRequest,
  ) {}

  /**
   * The request with its objects in the version of the matched rule. Throws {@link PendingResult} while the conversion
   * webhook is called.
   */
  requestInVersion({ row: { version } }: ServedResource): AdmissionRequest | ParameterConfigurationError {
    const { request } = this;
    if (!isWebhookConverted(request) || version === request.resource.row.version) return request;
    const cached = this.requestByVersion.get(version);
    if (cached !== undefined) return cached;
    const { object, oldObject, resource } = request;
    const convert = (original: JsonObject | undefined): Promise<JsonObject | undefined> =>
      original === undefined ? Promise.resolve(undefined) : convertObject(request, original, { from: resource.row.version, to: version });
    const store = (outcome: AdmissionRequest | ParameterConfigurationError): void => void this.requestByVersion.set(version, outcome);
    throw new PendingResult(
      Promise.all([convert(object), convert(oldObject)]).then(
        ([newObject, previousObject]) => store({ ...request, object: newObject, oldObject: previousObject }),
        (error: unknown) => store({ error: `${CONVERSION_ERROR}: ${errorMessage(error)}` }),
      ),
    );
  }

  /**
   * Parameters in the version of their resource. Throws {@link PendingResult} while the conversion webhook is called.
   */
  readonly convertParameters: ConvertParameters = (resource, entries) => {
    const missing = entries.filter((entry) => versionToConvertFrom(resource.row, entry) !== undefined && !this.convertedEntries.has(entry));
    const { context, deadline } = this.request;
    const requeue = (): Promise<void> => yieldSlot(context);
    if (missing.length > 0) {
      const storeResults = (converted: readonly Entry[]): void =>
        missing.forEach((entry, index) => this.convertedEntries.set(entry, converted[index] ?? entry));
      const storeError = (error: unknown): void =>
        missing.forEach((entry) => this.convertedEntries.set(entry, { error: `${BINDING_ERROR}: ${errorMessage(error)}` }));
      throw new PendingResult(this.conversions.convertEntries(resource.row, missing, { deadline, requeue }).then(storeResults, storeError));
    }
    const result: Entry[] = [];
    for (const entry of entries) {
      const convertedEntry = this.convertedEntries.get(entry) ?? entry;
      if ('error' in convertedEntry) return convertedEntry;
      result.push(convertedEntry);
    }
    return result;
  };
}
