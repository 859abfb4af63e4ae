//! Reading JSON in one pass without building anything: an answer is some kilobytes, of which a few fields count.
//!
//! It is written for answers of the service and takes what that sends; of other texts it only promises not to panic.

/// The text is not JSON, or not of the form that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAsExpected;

/// What is read, or why not.
pub type Scanned<T> = Result<T, NotAsExpected>;

/// A place in a JSON text.
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Scanned<u8> {
        while let Some(byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(*byte);
            }
            self.at += 1;
        }
        Err(NotAsExpected)
    }

    fn expect(&mut self, byte: u8) -> Scanned<()> {
        if self.peek()? == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(NotAsExpected)
        }
    }

    /// Goes through an object. `member` is called with each name, and must read or skip the value.
    ///
    /// # Errors
    ///
    /// When there is no object, or `member` fails.
    pub fn members(&mut self, mut member: impl FnMut(&[u8], &mut Self) -> Scanned<()>) -> Scanned<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let name = self.text()?;
            self.expect(b':')?;
            member(name, self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(NotAsExpected),
            }
        }
    }

    /// Goes through a list. `item` must read or skip each value.
    ///
    /// # Errors
    ///
    /// When there is no list, or `item` fails.
    pub fn items(&mut self, mut item: impl FnMut(&mut Self) -> Scanned<()>) -> Scanned<()> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(NotAsExpected),
            }
        }
    }

    /// A text, as it is written: what is escaped stays so.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn text(&mut self) -> Scanned<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(&self.text[start..self.at - 1]);
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        Err(NotAsExpected)
    }

    /// A number without a sign or a fraction.
    ///
    /// # Errors
    ///
    /// When there is none, or it has more than 64 bits.
    pub fn number(&mut self) -> Scanned<u64> {
        self.peek()?;
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            let digit = u64::from(digit - b'0');
            number = number.checked_mul(10).and_then(|tens| tens.checked_add(digit)).ok_or(NotAsExpected)?;
            self.at += 1;
        }
        if self.at > start { Ok(number) } else { Err(NotAsExpected) }
    }

    /// Takes a `null`, if there is one.
    ///
    /// # Errors
    ///
    /// When there is nothing at all.
    pub fn null(&mut self) -> Scanned<bool> {
        self.peek()?;
        let null = self.text[self.at..].starts_with(b"null");
        self.at += if null { 4 } else { 0 };
        Ok(null)
    }

    /// Any value, as it is written.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn skip(&mut self) -> Scanned<&'a [u8]> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => {
                self.text()?;
            }
            b'{' | b'[' => self.skip_nested()?,
            _ => {
                while self.text.get(self.at).is_some_and(|byte| !b",]} \n\r\t".contains(byte)) {
                    self.at += 1;
                }
            }
        }
        if self.at > start { Ok(&self.text[start..self.at]) } else { Err(NotAsExpected) }
    }

    fn skip_nested(&mut self) -> Scanned<()> {
        let mut depth = 0_usize;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'"' => {
                    self.text()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        Err(NotAsExpected)
    }
}

/// The text of the member `name` of an object.
pub fn text_member<'a>(object: &'a [u8], name: &str) -> Scanned<&'a [u8]> {
    let mut found = None;
    Cursor::new(object).members(|member, cursor| {
        if member == name.as_bytes() {
            found = Some(cursor.text()?);
        } else {
            cursor.skip()?;
        }
        Ok(())
    })?;
    found.ok_or(NotAsExpected)
}

#[cfg(test)]
mod tests {
    use super::{Cursor, NotAsExpected, text_member};

    #[test]
    fn an_object_is_read_in_one_pass() -> Result<(), NotAsExpected> {
        let text = br#" {"a": 12, "skipped": {"x": ["]", "}\"", {}], "y": -1.5e3}, "b": [null, "t\"x", []],"c":true} "#;
        let (mut number, mut items) = (0, Vec::new());
        Cursor::new(text).members(|name, cursor| {
            match name {
                b"a" => number = cursor.number()?,
                b"b" => cursor.items(|cursor| {
                    if cursor.null()? {
                        items.push(&b"nothing"[..]);
                    } else {
                        items.push(cursor.skip()?);
                    }
                    Ok(())
                })?,
                _ => drop(cursor.skip()?),
            }
            Ok(())
        })?;
        assert_eq!(number, 12);
        assert_eq!(items, [&b"nothing"[..], br#""t\"x""#, b"[]"]);
        assert_eq!(text_member(br#"{"x":{},"type":"cut"}"#, "type"), Ok(&b"cut"[..]));
        Ok(())
    }

    #[test]
    fn a_text_that_is_cut_off_is_refused_wherever_it_ends() {
        let whole = br#"{"events":[{"seq":10,"data":{"a":[1,"b\\"]}}],"view":{"legal":[],"step":null}}"#;
        let read = |text: &[u8]| Cursor::new(text).skip().map(<[u8]>::len);
        assert_eq!(read(whole), Ok(whole.len()));
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), Err(NotAsExpected), "{end}");
        }
        for text in [&b"{]"[..], b"{\"a\"}", b"[1 2]", b"{\"a\":99999999999999999999}", b"\"\\", b""] {
            let number = |name: &[u8], cursor: &mut Cursor<'_>| {
                assert_eq!(name, b"a");
                cursor.number().map(drop)
            };
            assert_eq!(Cursor::new(text).members(number), Err(NotAsExpected));
            assert_eq!(Cursor::new(text).items(|cursor| cursor.skip().map(drop)), Err(NotAsExpected));
        }
    }
}
