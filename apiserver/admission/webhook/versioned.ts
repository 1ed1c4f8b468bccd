/**
 * The objects of one request in the version that a rule names, where only a conversion webhook knows them. What has been changed in one version stays in it until somebody
 * is shown another, so that nothing gets lost between two that name the same. Where no webhook converts, nothing of this happens.
 */
import { internalError, StatusError } from '../../../shared/api/errors/status';
import { cloneJson, type JsonObject } from '../../../shared/values/json';
import type { AdmissionRequest } from '../../registry/admission';
import type { ServedResource } from '../../registry/verbs';
import { replaceObject } from './view';

/** Whether the objects of a request look different in other versions of its kind. A scale looks the same in all. */
export const isConverted = ({ resource: { row }, subresource }: Pick<AdmissionRequest, 'resource' | 'subresource'>): boolean =>
  row.custom?.webhook !== undefined && subresource !== 'scale';

/** An object of the request in another version, for whoever asks to change. Rejects with a StatusError. */
export async function inVersion({ versionConverter }: AdmissionRequest, object: JsonObject, from: string, to: string): Promise<JsonObject> {
  if (versionConverter === undefined) throw new Error('nobody can convert the objects of this request');
  return from === to ? object : cloneJson(await versionConverter.convert(object, from, to));
}

export class VersionedObjects {
  /** What has become of the request's object, and the version that it is in. */
  private current: { readonly object: JsonObject | undefined; readonly version: string };
  private readonly own: string;
  private shown: JsonObject | undefined;

  /** `refusal` = how a conversion that fails is told. */
  constructor(
    private readonly request: AdmissionRequest,
    private readonly refusal: (text: string) => StatusError,
  ) {
    this.own = request.resource.row.version;
    this.current = { object: request.object, version: this.own };
  }

  /** The request as it is now, with its objects as a rule names them. */
  in({ row: { version } }: ServedResource): Promise<AdmissionRequest> {
    return this.told(async () => {
      const { request, own } = this;
      const { object, oldObject } = request;
      const old = oldObject === undefined ? undefined : await inVersion(request, oldObject, own, version);
      this.shown =
        object === undefined ? undefined : await inVersion(request, this.current.object ?? object, this.current.version, version);
      return { ...request, object: this.shown, oldObject: old };
    });
  }

  /** The object that was shown last has been changed in its place, and is one of this version now. */
  changed(version: string): void {
    this.current = { object: this.shown, version };
  }

  /** The request's object is what has become of it. */
  async settle(): Promise<void> {
    const { request, own, current } = this;
    const { object, version } = current;
    if (request.object === undefined || object === undefined || object === request.object) return;
    replaceObject(request.object, await this.told(() => inVersion(request, object, version, own)));
    this.current = { object: request.object, version: own };
  }

  private async told<T>(convert: () => Promise<T>): Promise<T> {
    try {
      return await convert();
    } catch (error) {
      throw error instanceof StatusError && error.code === internalError('').code ? this.refusal(error.message) : error;
    }
  }
}
