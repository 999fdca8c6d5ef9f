import type { Service } from '../support/service';

/** Loads the sample's previous year into version 1 as its reference, without the last year. */
export const loadYearBefore = ({ api }: Service, pf_user = 'ana') =>
  api.post('/versions/1/reference', {
    date_offset: '14 years',
    filters: [[{ cname: 'Order Date', op: 'between', value: ['2014-01-01', '2016-12-31'] }]],
    pf_user,
    note: 'The year before',
  });
