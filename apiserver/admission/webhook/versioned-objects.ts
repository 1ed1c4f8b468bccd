/**
 * The objects of one request in the version of a webhook's rule, when only a conversion webhook can convert them. A
 * changed object stays in its version until a webhook with another version is called, so that fields unknown to other
 * versions are kept between two webhooks of one version.
 */
import { StatusError } from '../../../shared/api/errors/status';
import { cloneJson, type JsonObject } from '../../../shared/values/json';
import type { AdmissionRequest } from '../../registry/admission';
import type { ServedResource } from '../../registry/verbs';
import { replaceObject } from './object-view';

/** Whether a conversion webhook is needed for other versions of the request's objects. A scale has one version. */
export const isWebhookConverted = ({ resource: { row }, subresource }: Pick<AdmissionRequest, 'resource' | 'subresource'>): boolean =>
  row.custom?.webhook !== undefined && subresource !== 'scale';

/** Converts an object between two versions; the result may be modified. Rejects with a StatusError. */
export async function convertObject(
  { versionConverter }: AdmissionRequest,
  object: JsonObject,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<JsonObject> {
  if (versionConverter === undefined) throw new Error('no converter for the objects of this request');
  return from === to ? object : cloneJson(await versionConverter.convert(object, from, to));
}

/** The status code of the errors of a conversion webhook and its response; a missed deadline has another one. */
const CONVERSION_FAILED_CODE = 500;

/** The objects of one request. A method must not be called before the promise of the previous call has resolved. */
export class VersionedObjects {
  /** The object with all changes so far, and the version that it is in. */
  private current: { readonly object: JsonObject | undefined; readonly version: string };
  private readonly requestVersion: string;
  /** The object of the last {@link requestInVersion}, which the caller may modify. */
  private lastConverted: JsonObject | undefined;

  /** `toRejection` wraps the error of a failed conversion. */
  constructor(
    private readonly request: AdmissionRequest,
    private readonly toRejection: (text: string) => StatusError,
  ) {
    this.requestVersion = request.resource.row.version;
    this.current = { object: request.object, version: this.requestVersion };
  }

  /** The request with its objects in the version of the resource. */
  requestInVersion({ row: { version } }: ServedResource): Promise<AdmissionRequest> {
    return this.rejectingConversionErrors(async () => {
      const { request, requestVersion } = this;
      const { object, oldObject } = request;
      const convertedOldObject =
        oldObject === undefined ? undefined : await convertObject(request, oldObject, { from: requestVersion, to: version });
      const { object: currentObject, version: currentVersion } = this.current;
      this.lastConverted =
        object === undefined ? undefined : await convertObject(request, currentObject ?? object, { from: currentVersion, to: version });
      return { ...request, object: this.lastConverted, oldObject: convertedOldObject };
    });
  }

  /** States that the object of the last {@link requestInVersion} was modified in place, and has this version now. */
  setVersion(version: string): void {
    this.current = { object: this.lastConverted, version };
  }

  /** Converts the changed object back and copies it into the request's object. */
  async writeBack(): Promise<void> {
    const { request, requestVersion, current } = this;
    const { object, version } = current;
    if (request.object === undefined || object === undefined || object === request.object) return;
    const versions = { from: version, to: requestVersion };
    replaceObject(request.object, await this.rejectingConversionErrors(() => convertObject(request, object, versions)));
    this.current = { object: request.object, version: requestVersion };
  }

  /** Rejects with `toRejection` when a conversion fails. Passes on other errors, such as a Timeout. */
  private async rejectingConversionErrors<T>(convert: () => Promise<T>): Promise<T> {
    try {
      return await convert();
    } catch (error) {
      throw error instanceof StatusError && error.code === CONVERSION_FAILED_CODE ? this.toRejection(error.message) : error;
    }
  }
}
