/**
 * Selects the encoder of a response by kind, representation and the client's spelling of names. Encoders are shared by
 * all requests with the same key, because they cache their results.
 */
import { badRequest } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { Encoder } from '../representation/encoder';
import type { EncoderForm, IncludeObject } from '../representation/encoding-offload';
import type { Exchange } from '../request/exchange';
import type { Representation } from '../request/negotiation';
import type { Query } from '../request/query';
import type { ApiDependencies } from './api-dependencies';

/** The key of the encoder of a response. Throws 400 for an invalid `includeObject` of a Table. */
export function encoderFormFor({ dialect, alias, query }: Exchange, row: KindRow, wanted: Representation): EncoderForm {
  const include = wanted.transform === 'table' ? parseIncludeObject(query) : 'Metadata';
  return { row, wanted, names: { dialect, alias }, include };
}

/** The encoder of a response. Throws 400 for an invalid `includeObject` of a Table. */
export const encoderFor = ({ encoders }: ApiDependencies, exchange: Exchange, row: KindRow, wanted: Representation): Encoder =>
  encoders.encoderFor(encoderFormFor(exchange, row, wanted));

function parseIncludeObject(query: Query): IncludeObject {
  const text = query.get('includeObject') ?? '';
  switch (text) {
    case '':
    case 'Metadata':
      return 'Metadata';
    case 'Object':
    case 'None':
      return text;
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
      );
  }
}
