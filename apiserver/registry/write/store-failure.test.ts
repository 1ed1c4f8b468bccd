import { StatusError } from '../../../shared/api/errors/status';
import { StoreError } from '../../storage/store';
import { convertWriteFailure } from './store-failure';

const gr = { group: '', resource: 'configmaps' };

it('convertWriteFailure converts an ambiguous outcome to a 504', () => {
  const converted = convertWriteFailure(new StoreError('ambiguous', 'lost'), 'update', gr, 'a');
  expect(converted).toBeInstanceOf(StatusError);
  expect(converted).toMatchObject({
    status: {
      code: 504,
      message: 'Timeout: the outcome of the update of configmaps "a" is unknown: it may or may not have been stored',
    },
  });
});

it('convertWriteFailure returns internal errors and Status errors unchanged', () => {
  for (const error of [new StoreError('internal', 'x'), new Error('x'), new StatusError('BadRequest', 'x')]) {
    expect(convertWriteFailure(error, 'create', gr, 'a')).toBe(error);
  }
});
