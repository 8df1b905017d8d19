//! HTTP dates (RFC 9110 §5.6.7): IMF-fixdate written, all three forms read.

const DAYS: [&[u8; 3]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
const LONG_DAYS: [&[u8]; 7] = [b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday", b"Sunday"];
const MONTHS: [&[u8; 3]; 12] = [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
const DAY_SECONDS: u64 = 86_400;
/// 9999-12-31T23:59:59Z: the last second that four digits of a year hold.
const SECONDS_MAX: u64 = 253_402_300_799;

/// A day and a time of day, as written.
#[derive(Clone, Copy)]
struct Moment {
    year: u64,
    /// From 1.
    month: u64,
    /// From 1.
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

/// Writes seconds since the epoch as IMF-fixdate, 29 bytes. Later than the year 9999: the last second of that year.
pub fn write(seconds: u64, out: &mut [u8; 29]) {
    let seconds = seconds.min(SECONDS_MAX);
    let (days, rest) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let (year, month, day) = civil(days);
    *out = *b"Thu, 01 Jan 1970 00:00:00 GMT";
    // 1970-01-01 was a Thursday.
    out[..3].copy_from_slice(DAYS[((days + 3) % 7) as usize]);
    two_digits(day, &mut out[5..7]);
    out[8..11].copy_from_slice(MONTHS[(month - 1) as usize]);
    two_digits(year / 100, &mut out[12..14]);
    two_digits(year % 100, &mut out[14..16]);
    two_digits(rest / 3600, &mut out[17..19]);
    two_digits(rest / 60 % 60, &mut out[20..22]);
    two_digits(rest % 60, &mut out[23..25]);
}

/// The month, from 1, of a day since the epoch.
pub(crate) fn month_of(days: u64) -> u64 {
    let (_, month, _) = civil(days.min(SECONDS_MAX / DAY_SECONDS));
    month
}

/// Writes seconds since the epoch as RFC 3339 has them, in UTC: `1994-11-06T08:49:37Z`. Later than the year 9999: the last second of that year.
pub fn write_rfc3339(seconds: u64, out: &mut [u8; 20]) {
    let seconds = seconds.min(SECONDS_MAX);
    let (days, rest) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let (year, month, day) = civil(days);
    *out = *b"1970-01-01T00:00:00Z";
    two_digits(year / 100, &mut out[0..2]);
    two_digits(year % 100, &mut out[2..4]);
    two_digits(month, &mut out[5..7]);
    two_digits(day, &mut out[8..10]);
    two_digits(rest / 3600, &mut out[11..13]);
    two_digits(rest / 60 % 60, &mut out[14..16]);
    two_digits(rest % 60, &mut out[17..19]);
}

fn two_digits(number: u64, out: &mut [u8]) {
    out.copy_from_slice(&[b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
}

/// Year, month and day of a day since the epoch: <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>, for days after 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted_month + 2) / 5 + 1)
}

/// Reads any of the three forms; `None` where it is none of them, or before the epoch. The weekday must be a name but is not checked against the date.
/// `now` (seconds since the epoch) places the two-digit year of RFC 850: one that would be more than 50 years ahead is in the past.
pub fn parse(text: &[u8], now: u64) -> Option<u64> {
    imf_fixdate(text).or_else(|| asctime(text)).or_else(|| rfc850(text, now))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn imf_fixdate(text: &[u8]) -> Option<u64> {
    let text: &[u8; 29] = text.try_into().ok()?;
    if &text[3..5] != b", " || text[7] != b' ' || text[11] != b' ' || text[16] != b' ' || &text[25..] != b" GMT" || !is_day(&text[..3]) {
        return None;
    }
    let (hour, minute, second) = time(&text[17..25])?;
    seconds(Moment { year: number(&text[12..16])?, month: month(&text[8..11])?, day: number(&text[5..7])?, hour, minute, second })
}

/// `Sun Nov  6 08:49:37 1994`.
fn asctime(text: &[u8]) -> Option<u64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    if text[3] != b' ' || text[7] != b' ' || text[10] != b' ' || text[19] != b' ' || !is_day(&text[..3]) {
        return None;
    }
    let day = number(if text[8] == b' ' { &text[9..10] } else { &text[8..10] })?;
    let (hour, minute, second) = time(&text[11..19])?;
    seconds(Moment { year: number(&text[20..24])?, month: month(&text[4..7])?, day, hour, minute, second })
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`.
fn rfc850(text: &[u8], now: u64) -> Option<u64> {
    let comma = memchr::memchr(b',', text)?;
    let (name, rest) = text.split_at_checked(comma)?;
    let rest: &[u8; 24] = rest.try_into().ok()?;
    if !LONG_DAYS.contains(&name) || &rest[..2] != b", " || rest[4] != b'-' || rest[8] != b'-' || rest[11] != b' ' || &rest[20..] != b" GMT"
    {
        return None;
    }
    let (hour, minute, second) = time(&rest[12..20])?;
    let (this_year, _, _) = civil(now.min(SECONDS_MAX) / DAY_SECONDS);
    let mut year = this_year - this_year % 100 + number(&rest[9..11])?;
    if year > this_year + 50 {
        year -= 100;
    } else if year + 50 <= this_year {
        year += 100;
    }
    seconds(Moment { year, month: month(&rest[5..8])?, day: number(&rest[2..4])?, hour, minute, second })
}

fn is_day(name: &[u8]) -> bool {
    DAYS.iter().any(|day| day.as_slice() == name)
}

fn month(name: &[u8]) -> Option<u64> {
    MONTHS.iter().position(|month| month.as_slice() == name).map(|index| index as u64 + 1)
}

/// `08:49:37`.
fn time(text: &[u8]) -> Option<(u64, u64, u64)> {
    let text: &[u8; 8] = text.try_into().ok()?;
    (text[2] == b':' && text[5] == b':').then_some(())?;
    Some((number(&text[..2])?, number(&text[3..5])?, number(&text[6..])?))
}

fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0')))
}

/// Seconds since the epoch; `None` for a day or time that does not exist. A leap second is the second before it.
fn seconds(moment: Moment) -> Option<u64> {
    let Moment { year, month, day, hour, minute, second } = moment;
    if year < 1970 || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = shifted_year / 400;
    let year_of_era = shifted_year % 400;
    let day_of_year = (153 * shifted_month + 2) / 5 + day.checked_sub(1)?;
    let days = (era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year).checked_sub(719_468)?;
    (civil(days) == (year, month, day)).then_some(days * DAY_SECONDS + hour * 3600 + minute * 60 + second.min(59))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-01-01.
    const NOW: u64 = 1_704_067_200;

    fn written(seconds: u64) -> String {
        let mut out = [0; 29];
        write(seconds, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn the_forms_of_rfc_9110_are_one_moment() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse(text.as_bytes(), NOW), Some(784_111_777), "{text}");
        }
        assert_eq!(written(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn rfc_3339_is_the_same_moment() {
        for (seconds, text) in [(784_111_777, b"1994-11-06T08:49:37Z"), (u64::MAX, b"9999-12-31T23:59:59Z")] {
            let mut out = [0; 20];
            write_rfc3339(seconds, &mut out);
            assert_eq!(&out, text);
        }
    }

    #[test]
    fn written_dates_are_read_back() {
        assert_eq!(written(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(written(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(written(u64::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
        for seconds in (0..SECONDS_MAX).step_by(86_400 * 97 + 12_345) {
            assert_eq!(parse(written(seconds).as_bytes(), NOW), Some(seconds));
        }
    }

    #[test]
    fn two_digit_years_are_near_now() {
        let year = |text: &str| parse(text.as_bytes(), NOW).map(|seconds| civil(seconds / DAY_SECONDS).0);
        assert_eq!(year("Monday, 01-Jan-74 00:00:00 GMT"), Some(2074));
        assert_eq!(year("Tuesday, 01-Jan-75 00:00:00 GMT"), Some(1975));
        assert_eq!(year("Tuesday, 01-Jan-24 00:00:00 GMT"), Some(2024));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "0",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Xxx, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun Nov 06 08:49:37 199",
            "Sund, 06-Nov-94 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT",
        ] {
            assert_eq!(parse(text.as_bytes(), NOW), None, "{text}");
        }
    }
}
