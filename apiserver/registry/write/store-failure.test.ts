import { StatusError } from '../../../shared/api/errors/status';
import { StoreError } from '../../storage/store';
import { writeFailure } from './store-failure';

const gr = { group: '', resource: 'configmaps' };

it('writeFailure converts an ambiguous outcome to a 504', () => {
  const told = writeFailure(new StoreError('ambiguous', 'lost'), 'update', gr, 'a');
  expect(told).toBeInstanceOf(StatusError);
  expect(told).toMatchObject({
    status: {
      code: 504,
      message: 'Timeout: the outcome of the update of configmaps "a" is unknown: it may or may not have been stored',
    },
  });
});

it('writeFailure returns internal errors and Status errors unchanged', () => {
  for (const error of [new StoreError('internal', 'x'), new Error('x'), new StatusError('BadRequest', 'x')]) {
    expect(writeFailure(error, 'create', gr, 'a')).toBe(error);
  }
});
