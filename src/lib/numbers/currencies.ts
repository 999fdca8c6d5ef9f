/** ISO 4217 codes of the currencies that may stand before or after a number. */
export const CURRENCY_CODES = [
  ...['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'ISK', 'PLN', 'CZK', 'HUF', 'RON', 'BGN'],
  ...['TRY', 'UAH', 'BRL', 'MXN', 'ARS', 'CLP', 'COP', 'PEN', 'INR', 'IDR', 'JPY', 'CNY', 'KRW'],
  ...['AUD', 'NZD', 'CAD', 'ZAR', 'ILS', 'SGD', 'HKD', 'THB', 'AED', 'SAR'],
] as const;
