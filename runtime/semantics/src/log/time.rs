//! A moment as log lines have it, ready to be copied: written anew only when the second changes.

use crate::date;

const DAY_SECONDS: u64 = 86_400;

/// A moment in UTC, in both forms.
#[derive(Clone, Debug)]
pub struct Time {
    second: u64,
    /// `2026-11-30T19:10:52.123Z`.
    pub(super) rfc3339: [u8; 24],
    /// `30/Nov/2026:19:10:52 +0000`.
    pub(super) common: [u8; 26],
}

impl Time {
    /// So many milliseconds since the epoch.
    pub fn at(milliseconds: u64) -> Self {
        let mut time = Self { second: u64::MAX, rfc3339: *b"1970-01-01T00:00:00.000Z", common: *b"01/Jan/1970:00:00:00 +0000" };
        time.set(milliseconds);
        time
    }

    /// Moves to another moment.
    pub fn set(&mut self, milliseconds: u64) {
        let (second, rest) = (milliseconds / 1000, milliseconds % 1000);
        if second != self.second {
            self.second = second;
            self.write();
        }
        let [.., hundreds, tens, ones, _] = &mut self.rfc3339;
        (*hundreds, *tens, *ones) = (digit(rest / 100), digit(rest / 10), digit(rest));
    }

    fn write(&mut self) {
        let mut date = [0; 29];
        date::write(self.second, &mut date);
        // Of `Sun, 06 Nov 1994 08:49:37 GMT`.
        let [_, _, _, _, _, day @ .., _, _, _, _] = &date;
        let month = date::month_of(self.second / DAY_SECONDS);
        self.common[..2].copy_from_slice(&day[..2]);
        self.common[3..6].copy_from_slice(&day[3..6]);
        self.common[7..11].copy_from_slice(&day[7..11]);
        self.common[12..20].copy_from_slice(&day[12..20]);
        self.rfc3339[..4].copy_from_slice(&day[7..11]);
        self.rfc3339[5..7].copy_from_slice(&[digit(month / 10), digit(month)]);
        self.rfc3339[8..10].copy_from_slice(&day[..2]);
        self.rfc3339[11..19].copy_from_slice(&day[12..20]);
    }
}

fn digit(number: u64) -> u8 {
    b'0' + (number % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_has_both_forms() {
        let mut time = Time::at(784_111_777_042);
        assert_eq!(&time.rfc3339, b"1994-11-06T08:49:37.042Z");
        assert_eq!(&time.common, b"06/Nov/1994:08:49:37 +0000");
        time.set(784_111_777_999);
        assert_eq!(&time.rfc3339, b"1994-11-06T08:49:37.999Z");
        time.set(951_782_400_000);
        assert_eq!((&time.rfc3339, &time.common), (b"2000-02-29T00:00:00.000Z", b"29/Feb/2000:00:00:00 +0000"));
    }

    #[test]
    fn time_after_the_last_year_is_its_last_second() {
        assert_eq!(&Time::at(u64::MAX).common, b"31/Dec/9999:23:59:59 +0000");
        assert_eq!(&Time::at(u64::MAX).rfc3339[..19], b"9999-12-31T23:59:59");
    }
}
