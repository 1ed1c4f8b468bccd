/**
 * All functions that rules of release 1.31 may use.
 */
import { AUTHORIZER_ROWS } from './authorizer';
import { COLLECTION_ROWS } from './collections';
import { CONVERSION_ROWS } from './conversions';
import { library, type Library } from './function';
import { NETWORK_ROWS } from './network';
import { OPERATOR_ROWS } from './operators';
import { QUANTITY_ROWS } from './quantities';
import { TEXT_ROWS } from './strings';
import { TIME_ROWS } from './times';
import { URL_ROWS } from './urls';

export const LIBRARY: Library = library(
  OPERATOR_ROWS,
  CONVERSION_ROWS,
  TEXT_ROWS,
  TIME_ROWS,
  COLLECTION_ROWS,
  NETWORK_ROWS,
  QUANTITY_ROWS,
  URL_ROWS,
  AUTHORIZER_ROWS,
);
